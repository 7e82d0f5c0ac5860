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

// Box is the immutable snapshot of tools that one step sees.
type Box struct {
	tools    map[string]Tool
	aliases  map[string]string
	listed   []Spec
	hidden   map[string]string // full name → why the step may not call it
	gone     map[string]Spec   // removed tools, by full name
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
	// Told are the full names that the thread's model was told of, in that
	// order: they stay first in the list, so that what was sent before remains
	// a prefix of what is sent now. A told tool that was removed since stays in
	// the list with its last definition, and answers that it is gone.
	Told []string
	// Search says that the model can look for tools: without it, deferred ones
	// are listed.
	Search bool
}

// Box computes the snapshot for one step. The list is sorted by name, behind
// what the model was told before.
func (r *Registry) Box(opt BoxOptions) *Box {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b := &Box{
		tools: make(map[string]Tool, len(r.tools)), aliases: make(map[string]string, len(r.aliases)),
		hidden: map[string]string{}, gone: r.gone, Revision: r.revision,
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
		case Deferred, DeferredModelOnly:
			if !opt.Search {
				b.listed = append(b.listed, s)
			}
		}
	}
	place := make(map[string]int, len(opt.Told))
	for i, full := range opt.Told {
		if _, again := place[full]; again {
			continue
		}
		place[full] = i - len(opt.Told) // before the 0 of all others
		if s, ok := r.gone[full]; ok {
			b.listed = append(b.listed, s)
		}
	}
	sort.Slice(b.listed, func(i, j int) bool {
		x, y := b.listed[i].Full(), b.listed[j].Full()
		if place[x] != place[y] {
			return place[x] < place[y]
		}
		return x < y
	})
	return b
}

// Listed is what the model is shown, in the order of Box. Do not change it.
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
