package dynamic

import (
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"companion/dynamic/changed"
	"companion/tools"
	"companion/workspace"
)

// Options of a Host.
type Options struct {
	Registry  *tools.Registry
	Workspace *workspace.Workspace // nil = changed files are not looked for
	Caller    Caller
	// TrustedOwners are those whose annotations and wish for no approval are
	// believed (setting tools.trustedOwners).
	TrustedOwners []string
	// Strict refuses a whole batch in which a name is reserved, taken or given
	// twice (setting tools.strictNames).
	Strict bool
	// Reserved are names beyond those of the registered built-in tools.
	Reserved []string
	// OwnerBudget bounds the bytes of all definitions of one owner; 0 =
	// DefaultOwnerBudget.
	OwnerBudget int
	Log         *slog.Logger
}

// Host registers the editor's tools and runs them.
type Host struct {
	opt   Options
	files *changed.Finder

	strict atomic.Bool
	change sync.Mutex // held by a change from its start until it was told

	mu         sync.RWMutex // guards the fields below; never held while calling out
	trusted    map[string]bool
	byName     map[string]*tool      // by full name
	byFlat     map[string]string     // flat name → full name
	namespaces map[string]*namespace // declared, or with a tool in it
	switches   map[string]map[string]bool
	running    map[*running]struct{}
	listeners  []*listener
}

type namespace struct {
	owner, description string
	declared           bool
	tools              int
}

type listener struct{ f func(revision int) }

// New gives a Host without tools.
func New(opt Options) *Host {
	if opt.OwnerBudget <= 0 {
		opt.OwnerBudget = DefaultOwnerBudget
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{
		opt: opt, trusted: map[string]bool{}, byName: map[string]*tool{}, byFlat: map[string]string{},
		namespaces: map[string]*namespace{}, switches: map[string]map[string]bool{}, running: map[*running]struct{}{},
	}
	if opt.Workspace != nil {
		h.files = changed.New(opt.Workspace)
	}
	h.strict.Store(opt.Strict)
	for _, o := range opt.TrustedOwners {
		h.trusted[ownerName(o)] = true
	}
	return h
}

// Register takes definitions of one owner, each for itself: the names of those
// registered, and why the others are not. The same owner and name replaces, the
// same definition again changes nothing. replace withdraws every tool and
// namespace of the owner that is not in the batch. It takes effect at the next
// step of each turn.
func (h *Host) Register(owner string, specs []Spec, namespaces []Namespace, replace bool) (registered []string, rejected []Rejection, revision int) {
	h.change.Lock()
	defer h.change.Unlock()
	owner = ownerName(owner)
	b := h.judge(owner, specs, namespaces, replace)
	if h.strict.Load() && b.clash != "" {
		b.refuseAll()
	}
	revision = h.commit(owner, b, replace)
	return b.names(), b.rejected, revision
}

// commit makes the batch what is registered.
func (h *Host) commit(owner string, b *batch, replace bool) (revision int) {
	var remove []string
	var add []tools.Tool
	h.mu.Lock()
	keep := map[string]bool{}
	for _, t := range b.accepted {
		keep[t.full] = true
		if old := h.byName[t.full]; old != nil {
			if old.same(t) {
				continue
			}
			remove = append(remove, t.full)
		}
		add = append(add, t)
	}
	if replace && !b.refused {
		for full, t := range h.byName {
			if t.owner == owner && !keep[full] {
				remove = append(remove, full)
			}
		}
	}
	told := h.declare(owner, b, replace && !b.refused)
	for _, full := range remove {
		h.drop(full)
	}
	for _, t := range add {
		h.put(t.(*tool))
	}
	h.sweep()
	h.mu.Unlock()
	if len(add) == 0 && len(remove) == 0 && !told {
		return h.opt.Registry.Revision()
	}
	revision, errs := h.opt.Registry.Change(remove, add)
	for i, err := range errs {
		if err == nil {
			continue
		}
		// Somebody else took the name since it was judged.
		t := add[i].(*tool)
		b.reject(t.full, Taken, err.Error())
		b.accepted = slices.DeleteFunc(b.accepted, func(o *tool) bool { return o == t })
		h.mu.Lock()
		h.drop(t.full)
		h.sweep()
		h.mu.Unlock()
	}
	revision = h.describe(owner, revision)
	h.tell(revision)
	return revision
}

// describe brings the descriptions of an owner's namespaces to the registry,
// which shows all members of a namespace with its one.
func (h *Host) describe(owner string, revision int) int {
	texts := map[string]string{}
	h.mu.RLock()
	for name, ns := range h.namespaces {
		switch {
		case ns.owner != owner:
		case ns.declared:
			texts[name] = ns.description
		default:
			texts[name] = ""
		}
	}
	h.mu.RUnlock()
	for name, text := range texts {
		if err := h.opt.Registry.DescribeNamespace(owner, name, text); err != nil {
			h.opt.Log.Warn("namespace not described", "namespace", name, "err", err)
			continue
		}
		revision = h.opt.Registry.Revision()
	}
	return revision
}

// declare notes the descriptions of namespaces; h.mu is held.
func (h *Host) declare(owner string, b *batch, replace bool) (moved bool) {
	if replace {
		for _, ns := range h.namespaces {
			if ns.owner == owner && ns.declared {
				ns.declared, moved = false, true
			}
		}
	}
	for _, n := range b.namespaces {
		ns := h.namespaces[n.Name]
		if ns == nil {
			ns = &namespace{owner: owner}
			h.namespaces[n.Name] = ns
		}
		moved = moved || ns.description != n.Description
		ns.description, ns.declared = n.Description, true
	}
	return moved
}

func (h *Host) put(t *tool) {
	h.byName[t.full], h.byFlat[t.flat] = t, t.full
	if t.spec.Namespace == "" {
		return
	}
	ns := h.namespaces[t.spec.Namespace]
	if ns == nil {
		ns = &namespace{owner: t.owner}
		h.namespaces[t.spec.Namespace] = ns
	}
	ns.tools++
}

func (h *Host) drop(full string) {
	t := h.byName[full]
	if t == nil {
		return
	}
	delete(h.byName, full)
	delete(h.byFlat, t.flat)
	if ns := h.namespaces[t.spec.Namespace]; ns != nil {
		ns.tools--
	}
}

// sweep frees namespaces that nobody declares and no tool is in.
func (h *Host) sweep() {
	for name, ns := range h.namespaces {
		if ns.tools <= 0 && !ns.declared {
			delete(h.namespaces, name)
		}
	}
}

// Unregister withdraws tools of one owner, named "name" or "namespace.name";
// unknown are those that are not its own. A running call goes on.
func (h *Host) Unregister(owner string, names []string) (removed, unknown []string, revision int) {
	h.change.Lock()
	defer h.change.Unlock()
	owner = ownerName(owner)
	removed, unknown = []string{}, []string{}
	h.mu.Lock()
	for _, n := range names {
		t := h.byName[n]
		switch {
		case slices.Contains(removed, n):
		case t == nil || t.owner != owner:
			unknown = append(unknown, plainName(n))
		default:
			h.drop(n)
			removed = append(removed, n)
		}
	}
	h.sweep()
	h.mu.Unlock()
	return removed, unknown, h.withdrawn(removed)
}

// Withdraw takes away all that an owner registered, "" = every owner: the
// editor goes. Running calls end as failed, with words that say so.
func (h *Host) Withdraw(owner string) (revision int) {
	h.change.Lock()
	defer h.change.Unlock()
	if owner != "" {
		owner = ownerName(owner)
	}
	var removed []string
	h.mu.Lock()
	for full, t := range h.byName {
		if owner == "" || t.owner == owner {
			removed = append(removed, full)
		}
	}
	sort.Strings(removed)
	for _, full := range removed {
		h.drop(full)
	}
	for _, ns := range h.namespaces {
		if owner == "" || ns.owner == owner {
			ns.declared = false
		}
	}
	h.sweep()
	for r := range h.running {
		if owner == "" || r.owner == owner {
			r.cancel(ErrGone)
		}
	}
	h.mu.Unlock()
	return h.withdrawn(removed)
}

func (h *Host) withdrawn(names []string) int {
	if len(names) == 0 {
		return h.opt.Registry.Revision()
	}
	revision, _ := h.opt.Registry.Change(names, nil)
	h.tell(revision)
	return revision
}

// SetTrustedOwners replaces Options.TrustedOwners, also for what is registered.
func (h *Host) SetTrustedOwners(owners []string) (revision int) {
	h.change.Lock()
	defer h.change.Unlock()
	var remove []string
	var add []tools.Tool
	h.mu.Lock()
	h.trusted = map[string]bool{}
	for _, o := range owners {
		h.trusted[ownerName(o)] = true
	}
	for full, t := range h.byName {
		if t.trusted != h.trusted[t.owner] {
			next := t.judged(h.trusted[t.owner])
			h.byName[full] = next
			remove, add = append(remove, full), append(add, next)
		}
	}
	h.mu.Unlock()
	if len(add) == 0 {
		return h.opt.Registry.Revision()
	}
	revision, _ = h.opt.Registry.Change(remove, add)
	h.tell(revision)
	return revision
}

// SetStrict replaces Options.Strict, for what is registered from now on.
func (h *Host) SetStrict(strict bool) { h.strict.Store(strict) }

// OnChange calls f after every change until cancel.
func (h *Host) OnChange(f func(revision int)) (cancel func()) {
	l := &listener{f}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners = append(slices.Clone(h.listeners), l)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.listeners = slices.DeleteFunc(slices.Clone(h.listeners), func(o *listener) bool { return o == l })
	}
}

// tell needs h.change, so that revisions are told in their order.
func (h *Host) tell(revision int) {
	h.mu.RLock()
	listeners := h.listeners
	h.mu.RUnlock()
	for _, l := range listeners {
		l.f(revision)
	}
}

// Listed is one tool as a list shows it.
type Listed struct {
	tools.Spec
	Enabled bool
	Reason  string // why not
	Hash    string // of its definition
	Trusted bool   // its annotations are believed
}

// List gives the editor's tools by full name, as thread may call them; "" = as
// any new thread.
func (h *Host) List(thread string) []Listed {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]Listed, 0, len(h.byName))
	for full, t := range h.byName {
		l := Listed{Spec: t.spec, Enabled: h.enabled(thread, full), Hash: t.hash, Trusted: t.trusted}
		if !l.Enabled {
			l.Reason = disabledText
		}
		out = append(out, l)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Full() < out[j].Full() })
	return out
}

// Namespaces gives those that are declared or have tools, by name.
func (h *Host) Namespaces() []Namespace {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]Namespace, 0, len(h.namespaces))
	for name, ns := range h.namespaces {
		out = append(out, Namespace{name, ns.description})
	}
	slices.SortFunc(out, func(a, b Namespace) int { return strings.Compare(a.Name, b.Name) })
	return out
}

const disabledText = "the user switched it off"

// SetEnabled switches tools, of any source, named "name" or "namespace.name" or
// by an alias, for one thread, or for all when thread is "", which the switch of
// a thread overrules. It holds for a tool that comes later, too.
func (h *Host) SetEnabled(names []string, enabled bool, thread string) (revision int) {
	h.change.Lock()
	defer h.change.Unlock()
	moved := false
	for _, n := range names {
		if t, ok := h.opt.Registry.Find(n); ok {
			n = t.Spec().Full()
		} else if len(n) > 2*maxName+1 {
			continue // no tool will have it
		}
		h.mu.Lock()
		moved = h.enabled(thread, n) != enabled || moved
		if h.switches[thread] == nil {
			h.switches[thread] = map[string]bool{}
		}
		h.switches[thread][n] = enabled
		if thread == "" && enabled {
			delete(h.switches[""], n)
		}
		h.mu.Unlock()
	}
	if !moved {
		return h.opt.Registry.Revision()
	}
	revision = h.opt.Registry.Touch()
	h.tell(revision)
	return revision
}

// Enabled tells whether a thread may call a tool, by its full name: the one
// answer for lists, the steps' boxes and calls.
func (h *Host) Enabled(thread, full string) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.enabled(thread, full)
}

func (h *Host) enabled(thread, full string) bool {
	if on, said := h.switches[thread][full]; said {
		return on
	}
	on, said := h.switches[""][full]
	return !said || on
}

// Withhold is for tools.BoxOptions: why a thread may not call a tool, "" = it
// may.
func (h *Host) Withhold(thread string) func(tools.Spec) string {
	return func(s tools.Spec) string {
		if h.Enabled(thread, s.Full()) {
			return ""
		}
		return disabledText + ". Go on without it."
	}
}

// ForgetThread drops what was switched for one thread.
func (h *Host) ForgetThread(thread string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if thread != "" {
		delete(h.switches, thread)
	}
}

// Spec gives the definition's registered form, by full name.
func (h *Host) Spec(full string) (tools.Spec, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	t := h.byName[full]
	if t == nil {
		return tools.Spec{}, fmt.Errorf("no tool %q is registered by the editor", plainName(full))
	}
	return t.spec, nil
}
