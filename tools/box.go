package tools

// Box is the immutable snapshot of tools that one step sees.
type Box struct {
	*snapshot
	stands   []Standing // of snapshot.specs
	listed   []Spec
	deferred []Spec
	loaded   []Spec
	Revision int // of the registry
}

// BoxOptions narrow a box.
type BoxOptions struct {
	// Stand gives each of specs its standing, in their order; nil = their wishes,
	// with deferred tools listed unless Search is set.
	Stand func(specs []Spec) []Standing
	// Withhold says why a tool may not be called in this step, "" = it may; on
	// top of Stand.
	Withhold func(Spec) string
	// Told are the full names that the thread's model was told of, in that
	// order: they stay first in the list, whatever their standing, so that what was
	// sent before remains a prefix of what is sent now. One that may not be
	// called answers so; one that was removed stays in the list with its last
	// definition, and answers that it is gone.
	Told []string
	// Search says that the model can look for tools, where Stand is nil.
	Search bool
	// Loaded are the full names of deferred tools that a search found earlier in
	// the thread, in that order.
	Loaded []string
}

// Box computes the snapshot for one step. The list is sorted by name, behind
// what the model was told before.
func (r *Registry) Box(opt BoxOptions) *Box {
	b := &Box{snapshot: r.snapshot()}
	b.Revision = b.revision
	if opt.Stand != nil {
		b.stands = opt.Stand(b.specs)
	} else {
		b.stands = wishes(b.specs, opt.Search)
	}
	told := b.tell(opt.Told)
	for i, s := range b.specs {
		p := &b.stands[i]
		if opt.Withhold != nil && p.Barred == "" {
			p.Barred = opt.Withhold(s)
		}
		switch {
		case told[b.full[i]]:
		case p.Open(InList):
			b.listed = append(b.listed, s)
		case p.Open(BySearch):
			b.deferred = append(b.deferred, s)
		}
	}
	b.load(opt.Loaded, told)
	return b
}

// tell begins the list with what the model was told of.
func (b *Box) tell(names []string) (told map[string]bool) {
	told = make(map[string]bool, len(names))
	for _, name := range names {
		if s, ok := b.last(name); ok && !told[s.Full()] {
			told[s.Full()] = true
			b.listed = append(b.listed, s)
		}
	}
	return told
}

// load notes what was found earlier and is not in the list.
func (b *Box) load(names []string, told map[string]bool) {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		s, ok := b.last(name)
		if full := s.Full(); ok && !seen[full] && !told[full] && !b.Standing(full).Open(InList) {
			seen[full] = true
			b.loaded = append(b.loaded, s)
		}
	}
}

// wishes places tools where no switch says otherwise.
func wishes(specs []Spec, search bool) []Standing {
	out := make([]Standing, len(specs))
	for i, s := range specs {
		e := s.Exposure
		switch {
		case e == "":
			e = Direct
		case e == Deferred && !search:
			e = Direct
		case e == DeferredModelOnly && !search:
			e = DirectModelOnly
		}
		out[i] = Standing{Exposure: e}
	}
	return out
}

// Listed is what the model is shown, in the order of Box. Do not change it.
func (b *Box) Listed() []Spec { return b.listed }

// Deferred is what a search can find and the list does not show, sorted by full
// name; what was found before is among it. Do not change it.
func (b *Box) Deferred() []Spec { return b.deferred }

// Loaded is what was found earlier in the thread and stands in no list, in the
// order in which it was found; a tool that is gone since is there with its last
// definition. Do not change it.
func (b *Box) Loaded() []Spec { return b.loaded }

// Find resolves a name as the model wrote it: full name, alias, or a spelling
// of one that no other tool has. The very name of a tool that was removed is no
// spelling of another.
func (b *Box) Find(name string) (Tool, bool) {
	i := b.index.Exact(name)
	if _, was := b.gone[name]; i < 0 && !was {
		i = b.index.Find(name)
	}
	if i < 0 {
		return nil, false
	}
	return b.tools[i], true
}

// Spec is a registered tool's definition as the step shows it.
func (b *Box) Spec(full string) (Spec, bool) {
	if i := b.place(full); i >= 0 {
		return b.specs[i], true
	}
	return Spec{}, false
}

// Standing is where a tool stands in this step, by its full name. A name that
// nothing has is hidden.
func (b *Box) Standing(full string) Standing {
	if i := b.place(full); i >= 0 {
		return b.stands[i]
	}
	return Standing{Exposure: Hidden}
}

// Withheld says why a tool may not be called in this step, "" = it may.
func (b *Box) Withheld(full string) string { return b.Standing(full).Barred }
