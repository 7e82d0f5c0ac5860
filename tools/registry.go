package tools

import (
	"fmt"
	"maps"
	"sort"
	"sync"
)

// Registry is all that can run. Built-in duplicates are a bug and panic;
// duplicates from outside are skipped, the first wins.
type Registry struct {
	mu       sync.RWMutex
	tools    map[string]Tool // by Spec.Full()
	aliases  map[string]string
	gone     map[string]Spec // removed, by Full; replaced as a whole, never written
	revision int
}

// NewRegistry registers the built-in tools.
func NewRegistry(builtin ...Tool) *Registry {
	r := &Registry{tools: map[string]Tool{}, aliases: map[string]string{}}
	for _, t := range builtin {
		if err := r.Add(t); err != nil {
			panic(err) // two built-in tools with one name
		}
	}
	return r
}

// Add registers a tool; a taken name is an error that names the owner.
func (r *Registry) Add(t Tool) error {
	_, errs := r.Change(nil, []Tool{t})
	return errs[0]
}

func (r *Registry) add(t Tool) error {
	s := t.Spec()
	for _, name := range append([]string{s.Full()}, s.Aliases...) {
		if old, ok := r.tools[name]; ok {
			return fmt.Errorf("tool name %q is taken by %s", name, owner(old.Spec()))
		}
		if of, ok := r.aliases[name]; ok {
			return fmt.Errorf("tool name %q is an alias of %s", name, of)
		}
	}
	r.tools[s.Full()] = t
	for _, a := range s.Aliases {
		r.aliases[a] = s.Full()
	}
	return nil
}

// Remove takes a tool away; it reports whether it was there.
func (r *Registry) Remove(full string) bool {
	r.mu.RLock()
	_, was := r.tools[full]
	r.mu.RUnlock()
	r.Change([]string{full}, nil)
	return was
}

// Change removes and then adds tools at once: a step sees all of it or none.
// The errors, one for each of add, are nil where it was added.
func (r *Registry) Change(remove []string, add []Tool) (revision int, errs []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	gone, changed := maps.Clone(r.gone), false
	if gone == nil || len(gone) > mostGone {
		gone = map[string]Spec{}
	}
	for _, full := range remove {
		t, ok := r.tools[full]
		if !ok {
			continue
		}
		gone[full], changed = t.Spec(), true
		delete(r.tools, full)
		for _, a := range gone[full].Aliases {
			delete(r.aliases, a)
		}
	}
	errs = make([]error, len(add))
	for i, t := range add {
		if errs[i] = r.add(t); errs[i] == nil {
			changed = true
			delete(gone, t.Spec().Full())
		}
	}
	if changed {
		r.gone = gone
		r.revision++
	}
	return r.revision, errs
}

// mostGone bounds how many removed tools are remembered, so that a model that
// was told of one hears what became of it.
const mostGone = 4096

// Touch counts a change of what may be called, where what is registered stays.
func (r *Registry) Touch() (revision int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.revision++
	return r.revision
}

// Find gives a registered tool by its full name or an alias.
func (r *Registry) Find(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if full, ok := r.aliases[name]; ok {
		name = full
	}
	t, ok := r.tools[name]
	return t, ok
}

// Specs are those of all registered tools, sorted by full name.
func (r *Registry) Specs() []Spec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Spec, 0, len(r.tools))
	for _, t := range r.tools {
		out = append(out, t.Spec())
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Full() < out[j].Full() })
	return out
}

// Revision grows by one with every change.
func (r *Registry) Revision() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.revision
}

func owner(s Spec) string {
	if s.Owner != "" {
		return s.Owner
	}
	if s.Source == "" {
		return string(BuiltIn)
	}
	return string(s.Source)
}
