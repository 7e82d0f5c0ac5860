package tools

import (
	"sort"

	"companion/tools/names"
)

// snapshot is the registry at one revision. It never changes: boxes share it.
type snapshot struct {
	revision int
	specs    []Spec // sorted by full name, with the one description of their namespace
	full     []string
	tools    []Tool
	index    *names.Index
	gone     map[string]Spec // removed tools, by full name
}

func (r *Registry) snapshot() *snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil {
		r.now = r.take()
	}
	return r.now
}

func (r *Registry) take() *snapshot {
	n := len(r.tools)
	s := &snapshot{
		revision: r.revision, specs: make([]Spec, n), full: make([]string, 0, n), tools: make([]Tool, n),
		index: names.NewIndex(n), gone: r.gone,
	}
	for full := range r.tools {
		s.full = append(s.full, full)
	}
	sort.Strings(s.full)
	for i, full := range s.full {
		t := r.tools[full]
		spec := t.Spec()
		if r.define != nil {
			spec = r.define(spec)
		}
		spec.NamespaceText = r.ledger.Text(spec.Namespace)
		s.tools[i], s.specs[i] = t, spec
		s.index.Add(spec.Namespace, spec.Name, i)
	}
	for alias, full := range r.ledger.Aliases() {
		s.index.Add("", alias, sort.SearchStrings(s.full, full))
	}
	return s
}

// last is the definition of a tool by its full name or an alias, or the last one
// of a tool that was removed.
func (s *snapshot) last(name string) (Spec, bool) {
	if i := s.index.Exact(name); i >= 0 {
		return s.specs[i], true
	}
	spec, ok := s.gone[name]
	return spec, ok
}

// place is the index of a full name, negative = nothing has it.
func (s *snapshot) place(full string) int {
	if i := sort.SearchStrings(s.full, full); i < len(s.full) && s.full[i] == full {
		return i
	}
	return -1
}

// departed finds a removed tool under any spelling of its name.
func (s *snapshot) departed(asked string) (Spec, bool) {
	if spec, ok := s.gone[asked]; ok {
		return spec, true
	}
	spelling := names.Spelling(asked)
	for full, spec := range s.gone {
		if names.Spelling(full) == spelling {
			return spec, true
		}
	}
	return Spec{}, false
}
