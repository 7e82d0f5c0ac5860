package tools

import "sort"

// Box is the immutable snapshot of tools that one step sees.
type Box struct {
	tools    map[string]Tool
	aliases  map[string]string
	listed   []Spec
	deferred []Spec
	loaded   []Spec
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
	// Loaded are the full names of deferred tools that a search found earlier in
	// the thread, in that order.
	Loaded []string
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
		_, told := place[full]
		switch s.Exposure {
		case "", Direct, DirectModelOnly:
			b.listed = append(b.listed, s)
		case Deferred, DeferredModelOnly:
			if told || !opt.Search {
				b.listed = append(b.listed, s)
			} else {
				b.deferred = append(b.deferred, s)
			}
		}
	}
	sort.Slice(b.listed, func(i, j int) bool {
		x, y := b.listed[i].Full(), b.listed[j].Full()
		if place[x] != place[y] {
			return place[x] < place[y]
		}
		return x < y
	})
	sort.Slice(b.deferred, func(i, j int) bool { return b.deferred[i].Full() < b.deferred[j].Full() })
	for _, full := range opt.Loaded {
		i := sort.Search(len(b.deferred), func(i int) bool { return b.deferred[i].Full() >= full })
		if i < len(b.deferred) && b.deferred[i].Full() == full {
			b.loaded = append(b.loaded, b.deferred[i])
		}
	}
	return b
}

// Listed is what the model is shown, in the order of Box. Do not change it.
func (b *Box) Listed() []Spec { return b.listed }

// Deferred is what a search can find and the list does not show, sorted by full
// name; what was found before is among it. Do not change it.
func (b *Box) Deferred() []Spec { return b.deferred }

// Loaded is what of Deferred was found earlier in the thread and may be called,
// in the order in which it was found. Do not change it.
func (b *Box) Loaded() []Spec { return b.loaded }

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
