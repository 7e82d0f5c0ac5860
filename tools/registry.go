package tools

import (
	"maps"
	"sync"

	"companion/tools/names"
)

// Registry is all that can run. Two built-in tools of one name are a bug and
// panic; of those from outside the first keeps a name and the others are
// refused, with a *names.Clash.
type Registry struct {
	mu       sync.Mutex
	tools    map[string]Tool // by Spec.Full()
	ledger   *names.Ledger
	gone     map[string]Spec // removed, by Full; replaced as a whole, never written
	rules    names.Rules
	define   func(Spec) Spec // nil = none
	warned   map[string]bool // names whose clash was told
	revision int
	now      *snapshot // of revision; nil = to be made
}

// NewRegistry registers the built-in tools.
func NewRegistry(builtin ...Tool) *Registry {
	r := &Registry{tools: map[string]Tool{}, ledger: names.NewLedger(), warned: map[string]bool{}}
	for _, t := range builtin {
		if err := r.Add(t); err != nil {
			panic(err) // two built-in tools with one name
		}
	}
	return r
}

// SetDefine changes what models are told of every tool, registered and to come,
// before it is listed; nil = as tools define themselves. define must give the
// same for the same. It is called once for each tool and change of the registry.
func (r *Registry) SetDefine(define func(Spec) Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.define, r.now = define, nil
	r.revision++
}

// SetNameRules holds from the next change on.
func (r *Registry) SetNameRules(n names.Rules) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules = n
}

// Add registers a tool; a name that it cannot have is a *names.Clash.
func (r *Registry) Add(t Tool) error {
	_, errs := r.Change(nil, []Tool{t})
	return errs[0]
}

// Remove takes a tool away; it reports whether it was there.
func (r *Registry) Remove(full string) bool {
	before := r.Revision()
	after, _ := r.Change([]string{full}, nil)
	return after != before
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
	var removed []Tool
	for _, full := range remove {
		if t, ok := r.tools[full]; ok {
			r.drop(t.Spec())
			gone[full], changed = t.Spec(), true
			removed = append(removed, t)
		}
	}
	errs = make([]error, len(add))
	clashed := false
	for i, t := range add {
		if c := r.put(t); c != nil {
			errs[i], clashed = c, true
			r.warn(c)
		}
	}
	if clashed && r.rules.Strict {
		r.takeBack(removed, add, errs)
		return r.revision, errs
	}
	for i, t := range add {
		if errs[i] == nil {
			changed = true
			delete(gone, t.Spec().Full())
		}
	}
	if changed {
		r.gone, r.now = gone, nil
		r.revision++
	}
	return r.revision, errs
}

// mostGone bounds how many removed tools are remembered, so that a model that
// was told of one hears what became of it.
const mostGone = 4096

func (r *Registry) put(t Tool) *names.Clash {
	s := t.Spec()
	if c := r.ledger.Take(claim(s)); c != nil {
		return c
	}
	r.tools[s.Full()] = t
	return nil
}

func (r *Registry) drop(s Spec) {
	r.ledger.Drop(s.Full())
	delete(r.tools, s.Full())
}

func claim(s Spec) names.Claim {
	c := names.Claim{Name: s.Name, Namespace: s.Namespace, Aliases: s.Aliases, Owner: owner(s), Trust: names.Foreign, Text: s.NamespaceText}
	switch {
	case !s.Source.External():
		c.Trust = names.Ours
	case s.Source == MCP:
		c.Trust = names.Server
	}
	return c
}

// warn tells the first clash of each name.
func (r *Registry) warn(c *names.Clash) {
	if r.warned[c.Name] || len(r.warned) >= mostGone {
		return
	}
	r.warned[c.Name] = true
	if r.rules.Warn != nil {
		r.rules.Warn(c)
	}
}

// takeBack is the strict end of a change in which a name clashed.
func (r *Registry) takeBack(removed, add []Tool, errs []error) {
	var first error
	for i, t := range add {
		if errs[i] == nil {
			r.drop(t.Spec())
		} else if first == nil {
			first = errs[i]
		}
	}
	for i := range errs {
		if errs[i] == nil {
			errs[i] = first
		}
	}
	for _, t := range removed {
		r.put(t)
	}
}

// DescribeNamespace gives a namespace its one description, with which all its
// members are shown. The error is a *names.Clash: it is another owner's.
func (r *Registry) DescribeNamespace(who, name, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed, clash := r.ledger.Describe(who, name, text)
	if clash != nil {
		return clash
	}
	if changed {
		r.now = nil
		r.revision++
	}
	return nil
}

// Touch counts a change of what may be called, where what is registered stays.
func (r *Registry) Touch() (revision int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.revision++
	if r.now != nil {
		again := *r.now
		again.revision, r.now = r.revision, &again
	}
	return r.revision
}

// Find gives a registered tool by its full name or an alias.
func (r *Registry) Find(name string) (Tool, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tools[r.ledger.Of(name)]
	return t, ok
}

// Specs are those of all registered tools, sorted by full name.
func (r *Registry) Specs() []Spec { return append([]Spec(nil), r.snapshot().specs...) }

// Revision grows by one with every change.
func (r *Registry) Revision() int {
	r.mu.Lock()
	defer r.mu.Unlock()
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
