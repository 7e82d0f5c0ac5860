package dynamic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"companion/tools"
	"companion/tools/names"
	"companion/tools/schema/foreign"
)

// Budgets of definitions, in bytes (tools.md, Budgets).
const (
	maxName        = 64 // also a count of characters: names are ASCII
	maxDescription = 1_000
	maxSpec        = 8_000
	maxNamespace   = 1_024
	maxRawSchema   = 1 << 20 // beyond that it is not even read
	// DefaultOwnerBudget is for 1,000 tools of the largest size; an editor
	// brings as many.
	DefaultOwnerBudget = 1_000 * maxSpec
)

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// batch is what one Register comes to.
type batch struct {
	accepted   []*tool
	namespaces []Namespace
	rejected   []Rejection
	clash      string // the first name that is reserved, taken or given twice
	refused    bool
}

func (b *batch) reject(name string, code Code, message string) {
	b.rejected = append(b.rejected, Rejection{plainName(name), code, message})
	if b.clash == "" && (code == Reserved || code == Taken || code == Duplicate) {
		b.clash = plainName(name)
	}
}

func (b *batch) names() []string {
	out := make([]string, len(b.accepted))
	for i, t := range b.accepted {
		out[i] = t.full
	}
	return out
}

// refuseAll is the strict answer to one clash.
func (b *batch) refuseAll() {
	for _, t := range b.accepted {
		b.rejected = append(b.rejected, Rejection{t.full, Taken, fmt.Sprintf(
			"not registered because %s of the same batch clashes and the setting tools.strictNames is on", b.clash)})
	}
	b.accepted, b.namespaces, b.refused = nil, nil, true
}

// judge says which definitions can be registered, without registering any.
func (h *Host) judge(owner string, specs []Spec, namespaces []Namespace, replace bool) *batch {
	b := &batch{rejected: []Rejection{}}
	reserved := h.reserved()
	h.mu.RLock()
	trusted := h.trusted[owner]
	h.mu.RUnlock()
	for _, n := range namespaces {
		h.judgeNamespace(b, owner, n)
	}
	flats := map[string]string{}
	seen := map[string]bool{}
	size := 0
	if !replace {
		size = h.sizeOf(owner, specs)
	}
	for _, s := range specs {
		full := tools.Spec{Name: s.Name, Namespace: s.Namespace}.Full()
		if code, why := h.nameOf(owner, s, reserved); code != "" {
			b.reject(full, code, why)
			continue
		}
		flat := flatName(s)
		if seen[full] {
			b.reject(full, Duplicate, "it is in the batch twice; the first one counts")
			continue
		}
		if other, clash := flats[flat]; clash {
			b.reject(full, Duplicate, fmt.Sprintf("models would know it by the same name, %s, as %s", flat, other))
			continue
		}
		seen[full], flats[flat] = true, full
		t, code, err := h.define(owner, s, trusted)
		if err != nil {
			b.reject(full, code, err.Error())
			continue
		}
		if size += t.size; size > h.opt.OwnerBudget {
			size -= t.size
			b.reject(full, Budget, fmt.Sprintf("the definitions of %s would be more than %d bytes; this one is %d", owner, h.opt.OwnerBudget, t.size))
			continue
		}
		b.accepted = append(b.accepted, t)
	}
	return b
}

// sizeOf what the owner has registered and these definitions leave.
func (h *Host) sizeOf(owner string, specs []Spec) (size int) {
	again := make(map[string]bool, len(specs))
	for _, s := range specs {
		again[tools.Spec{Name: s.Name, Namespace: s.Namespace}.Full()] = true
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	for full, t := range h.byName {
		if t.owner == owner && !again[full] {
			size += t.size
		}
	}
	return size
}

// reserved are the names that no editor may take, in whatever spelling.
func (h *Host) reserved() map[string]bool {
	out := map[string]bool{}
	for _, n := range h.opt.Reserved {
		out[names.Spelling(n)] = true
	}
	for _, s := range h.opt.Registry.Specs() {
		if s.Source != "" && s.Source != tools.BuiltIn {
			continue
		}
		for _, n := range append([]string{s.Full()}, s.Aliases...) {
			out[names.Spelling(n)] = true
		}
	}
	return out
}

// nameOf judges the names of a definition; code "" = they are free.
func (h *Host) nameOf(owner string, s Spec, reserved map[string]bool) (code Code, why string) {
	for _, n := range []struct{ what, name string }{{"name", s.Name}, {"namespace", s.Namespace}} {
		if n.name == "" && n.what == "namespace" {
			continue
		}
		if err := wellFormed(n.name); err != nil {
			return BadName, n.what + " " + err.Error()
		}
	}
	flat := flatName(s)
	if reserved[names.Spelling(flat)] {
		return Reserved, fmt.Sprintf("%s is the name of a built-in tool; take another name, or a namespace", s.Name)
	}
	full := tools.Spec{Name: s.Name, Namespace: s.Namespace}.Full()
	h.mu.RLock()
	defer h.mu.RUnlock()
	if ns := h.namespaces[s.Namespace]; s.Namespace != "" && ns != nil && ns.owner != owner {
		return Taken, fmt.Sprintf("namespace %s belongs to %s", s.Namespace, ns.owner)
	}
	other := h.byName[full]
	if other == nil {
		if name, ok := h.byFlat[flat]; ok {
			other = h.byName[name]
		}
	}
	if other != nil && (other.owner != owner || other.full != full) {
		return Taken, fmt.Sprintf("%s is taken by %s", other.full, other.owner)
	}
	if t, ok := h.opt.Registry.Find(full); ok && other == nil {
		return Taken, fmt.Sprintf("%s is taken by %s", full, sourceOf(t.Spec()))
	}
	return "", ""
}

func sourceOf(s tools.Spec) string {
	if s.Owner != "" {
		return s.Owner
	}
	return string(s.Source)
}

func wellFormed(name string) error {
	switch {
	case !nameForm.MatchString(name):
		return fmt.Errorf("%q must be 1 to 64 of A-Z a-z 0-9 _ - and begin with a letter or _", plainName(name))
	case strings.HasPrefix(strings.ToLower(name), "mcp"):
		return fmt.Errorf("%q must not begin with mcp, which names tools of MCP servers", name)
	}
	return nil
}

// flatName is how vendors without namespaces know the tool.
func flatName(s Spec) string {
	if s.Namespace == "" {
		return s.Name
	}
	return s.Namespace + "__" + s.Name
}

func (h *Host) judgeNamespace(b *batch, owner string, n Namespace) {
	if err := wellFormed(n.Name); err != nil {
		b.reject(n.Name, BadName, "namespace "+err.Error())
		return
	}
	h.mu.RLock()
	held := h.namespaces[n.Name]
	h.mu.RUnlock()
	if held != nil && held.owner != owner {
		b.reject(n.Name, Taken, fmt.Sprintf("namespace %s belongs to %s", n.Name, held.owner))
		return
	}
	n.Description = strings.TrimSpace(foreign.Plain(n.Description))
	if len(n.Description) > maxNamespace {
		b.reject(n.Name, Budget, fmt.Sprintf("the description of namespace %s has %d bytes, at most %d; its tools stand without it", n.Name, len(n.Description), maxNamespace))
		return
	}
	b.namespaces = append(b.namespaces, n)
}

// define makes a tool of a definition whose name is free.
func (h *Host) define(owner string, s Spec, trusted bool) (*tool, Code, error) {
	s.Title, s.Description, s.SearchHint = plain(s.Title), plain(s.Description), plain(s.SearchHint)
	if n := len(s.Description); n > maxDescription {
		return nil, Budget, fmt.Errorf("its description has %d bytes, at most %d", n, maxDescription)
	}
	t := &tool{host: h, in: s, owner: owner, full: tools.Spec{Name: s.Name, Namespace: s.Namespace}.Full(), flat: flatName(s)}
	var err error
	if t.input, err = ready(s.Input, foreign.Arguments); err != nil {
		return nil, BadSchema, fmt.Errorf("its inputSchema cannot be used: %w", err)
	}
	t.in.Input, t.in.Output = t.input.Text, nil
	if !absent(s.Output) {
		if t.output, err = ready(s.Output, foreign.Results); err != nil {
			return nil, BadSchema, fmt.Errorf("its outputSchema cannot be used: %w", err)
		}
		t.in.Output = t.output.Text
	}
	shown, ok := foreign.Reduce(t.in.Input, foreign.Budget)
	if !ok {
		return nil, Budget, fmt.Errorf("its inputSchema has %d bytes and cannot be shortened to %d", len(t.in.Input), foreign.Budget)
	}
	if shownOut, ok := foreign.Reduce(t.in.Output, foreign.Budget); ok {
		t.shownOutput = shownOut
	}
	t.shown = shown
	t.size = len(t.full) + len(s.Title) + len(s.Description) + len(s.SearchHint) + len(shown) + len(t.shownOutput)
	if t.size > maxSpec {
		return nil, Budget, fmt.Errorf("its definition has %d bytes, at most %d", t.size, maxSpec)
	}
	if t.locks, err = h.locks(s.Locks); err != nil {
		return nil, BadSchema, err
	}
	t.hash = Hash(owner, t.in)
	return t.judged(trusted), "", nil
}

func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || strings.TrimSpace(string(raw)) == "null"
}

// ready bounds what is read of a schema, and words what is wrong in one line.
func ready(raw json.RawMessage, make func(json.RawMessage) (*foreign.Schema, error)) (*foreign.Schema, error) {
	if len(raw) > maxRawSchema {
		return nil, fmt.Errorf("it has %d bytes", len(raw))
	}
	if absent(raw) {
		raw = nil
	}
	f, err := make(raw)
	if err != nil {
		return nil, fmt.Errorf("%.500s", tools.OneLine(foreign.Plain(err.Error())))
	}
	return f, nil
}

// locks gives files named by URI their canonical path.
func (h *Host) locks(in []tools.Lock) ([]tools.Lock, error) {
	if len(in) > 64 {
		return nil, fmt.Errorf("it has %d locks, at most 64", len(in))
	}
	out := make([]tools.Lock, 0, len(in))
	for _, l := range in {
		if l.Resource == "" || len(l.Resource) > 4096 {
			return nil, fmt.Errorf("a lock needs a resource of 1 to 4096 bytes")
		}
		if strings.Contains(l.Resource, "://") && h.opt.Workspace != nil {
			if f, err := h.opt.Workspace.ResolveURI(l.Resource); err == nil {
				l.Resource = f.Path
			}
		}
		out = append(out, l)
	}
	return out, nil
}

func plain(s string) string { return strings.TrimSpace(foreign.Plain(s)) }

// plainName is a name that may be anything, as a message shows it.
func plainName(s string) string {
	s = foreign.Plain(s)
	if len(s) > 2*maxName+1 {
		s = strings.ToValidUTF8(s[:2*maxName], "") + "…"
	}
	return s
}

// ownerName is who registers, for people and rules.
func ownerName(s string) string {
	s = strings.TrimSpace(plainName(s))
	if s == "" {
		return "the editor"
	}
	return s
}
