package tools

import (
	"fmt"
	"sort"
	"sync"
)

// Registry is all that can run. Built-in duplicates are a bug and panic;
// duplicates from outside are skipped, the first wins.
type Registry struct {
	mu       sync.RWMutex
	tools    map[string]Tool // by Spec.Full()
	aliases  map[string]string
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
	s := t.Spec()
	r.mu.Lock()
	defer r.mu.Unlock()
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
	r.revision++
	return nil
}

// Remove takes a tool away; it reports whether it was there.
func (r *Registry) Remove(full string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tools[full]
	if !ok {
		return false
	}
	delete(r.tools, full)
	for _, a := range t.Spec().Aliases {
		delete(r.aliases, a)
	}
	r.revision++
	return true
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

// Box is the immutable snapshot of tools that one step sees.
type Box struct {
	tools    map[string]Tool
	aliases  map[string]string
	listed   []Spec
	hidden   map[string]string // full name → why the step may not call it
	Revision int
}

// BoxOptions narrow a box.
type BoxOptions struct {
	Mode Mode
	// Withhold says why a tool may not be called in this step, "" = it may. A
	// withheld tool stays in the list if Keep says so (narrowing in the middle
	// of a thread must not change what the model was told) and answers blocked.
	Withhold func(Spec) string
	Keep     func(Spec) bool
}

// Box computes the snapshot for one step. The list is sorted by name.
func (r *Registry) Box(opt BoxOptions) *Box {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b := &Box{
		tools: make(map[string]Tool, len(r.tools)), aliases: make(map[string]string, len(r.aliases)),
		hidden: map[string]string{}, Revision: r.revision,
	}
	for a, full := range r.aliases {
		b.aliases[a] = full
	}
	for full, t := range r.tools {
		s := t.Spec()
		b.tools[full] = t
		why := ""
		if opt.Withhold != nil {
			why = opt.Withhold(s)
		}
		if why != "" {
			b.hidden[full] = why
			if opt.Keep == nil || !opt.Keep(s) {
				continue
			}
		}
		switch s.Exposure {
		case "", Direct, DirectModelOnly:
			b.listed = append(b.listed, s)
		}
	}
	sort.Slice(b.listed, func(i, j int) bool { return b.listed[i].Full() < b.listed[j].Full() })
	return b
}

// Listed is what the model is shown, sorted by full name. Do not change it.
func (b *Box) Listed() []Spec { return b.listed }

// Find resolves a name as the model wrote it: full name or alias.
func (b *Box) Find(name string) (Tool, bool) {
	if full, ok := b.aliases[name]; ok {
		name = full
	}
	t, ok := b.tools[name]
	return t, ok
}

// Withheld says why a tool may not be called in this step, "" = it may.
func (b *Box) Withheld(full string) string { return b.hidden[full] }
