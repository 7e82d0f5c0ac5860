package action

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"companion/lspbridge/rpc"
)

// maxFixes bounds the actions for single problems of one place.
const maxFixes = 8

// maxTitle bounds a message in a title, in bytes.
const maxTitle = 80

// Position and Range are LSP's, in the encoding of the connection.
type (
	Position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	Range struct {
		Start Position `json:"start"`
		End   Position `json:"end"`
	}
)

// Problem is one diagnostic: Raw is how it is handed on, byte for byte.
type Problem struct {
	Range   Range
	Message string
	Raw     json.RawMessage
}

// Approval is one that waits for a person and can be given by a command.
type Approval struct {
	CallID  string
	Title   string
	Options []Option
}

// Option of an Approval.
type Option struct{ ID, Label string }

// State is what the answer depends on.
type State struct {
	// Served: documents of this URI are companion's business.
	Served bool
	// Known are the problems of the whole file, when IsKnown, in the encoding
	// of the connection.
	Known     []Problem
	IsKnown   bool
	HasServer bool
	Running   bool       // a turn runs
	Approvals []Approval // that no message request can show
	Hunks     []Hunk     // of the file that are pending
	// Inside reports whether a line lies in a function; nil = none does.
	Inside  func(line int) bool
	Prompts []Prompt // of the settings
}

// Hunk is a pending change; its lines are 0-based, both included.
type Hunk struct {
	Thread, ID  string
	First, Last int
}

// Prompt is one of the settings' own.
type Prompt struct{ Title, Text string }

// Handler answers textDocument/codeAction and codeAction/resolve.
type Handler struct {
	// Literals: the client takes CodeAction objects, else only Commands.
	Literals bool
	State    func(uri string) State
}

type params struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Range   *Range `json:"range"`
	Context struct {
		Diagnostics []json.RawMessage `json:"diagnostics"`
		Only        []string          `json:"only"`
	} `json:"context"`
}

// literal is one action. Its parts are joined without another pass over the
// diagnostics: a file may have thousands.
type literal struct {
	title, kind, command string
	diagnostics          []json.RawMessage // nil = not shown with the action
	argument             json.RawMessage
}

// argument is that of companion.fix and its like.
func argument(uri string, at *Range, diagnostics []json.RawMessage) json.RawMessage {
	b := append([]byte(`{"uri":`), quote(uri)...)
	if at != nil {
		b = fmt.Appendf(b, `,"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`,
			at.Start.Line, at.Start.Character, at.End.Line, at.End.Character)
	}
	if diagnostics != nil {
		size := len(b) + len(`,"diagnostics":[]}`)
		for _, d := range diagnostics {
			size += len(d) + 1
		}
		b = append(make([]byte, 0, size), b...)
		b = appendList(append(b, `,"diagnostics":`...), diagnostics)
	}
	return append(b, '}')
}

func appendList(dst []byte, list []json.RawMessage) []byte {
	dst = append(dst, '[')
	for i, d := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d...)
	}
	return append(dst, ']')
}

func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // no string fails to encode
	}
	return b
}

// appendCommand appends the action as a Command.
func (a literal) appendCommand(dst []byte) []byte {
	dst = append(append(dst, `{"title":`...), quote(a.title)...)
	dst = append(append(dst, `,"command":`...), quote(a.command)...)
	dst = append(append(dst, `,"arguments":[`...), a.argument...)
	return append(dst, "]}"...)
}

// appendLiteral appends the action as a CodeAction.
func (a literal) appendLiteral(dst []byte) []byte {
	dst = append(append(dst, `{"title":`...), quote(a.title)...)
	dst = append(append(dst, `,"kind":`...), quote(a.kind)...)
	if a.diagnostics != nil {
		dst = appendList(append(dst, `,"diagnostics":`...), a.diagnostics)
	}
	return append(a.appendCommand(append(dst, `,"command":`...)), '}')
}

// List handles textDocument/codeAction.
func (h *Handler) List(_ context.Context, r *rpc.Request) (any, error) {
	var p params
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	if p.TextDocument.URI == "" {
		return nil, rpc.BadParam("textDocument.uri", "missing")
	}
	if p.Range == nil {
		return nil, rpc.BadParam("range", "missing")
	}
	given, err := parse(p.Context.Diagnostics)
	if err != nil {
		return nil, err
	}
	st := h.State(p.TextDocument.URI)
	out := make([]literal, 0, 8)
	if st.Served {
		out = append(out, control(st)...)
		out = append(out, hunks(p.TextDocument.URI, *p.Range, st.Hunks)...)
		out = append(out, fixes(p.TextDocument.URI, *p.Range, given, st)...)
		out = append(out, refactors(p.TextDocument.URI, *p.Range, st)...)
	}
	return h.encode(out, p.Context.Only), nil
}

// Resolve handles codeAction/resolve: the action as it came.
func (h *Handler) Resolve(_ context.Context, r *rpc.Request) (any, error) {
	if len(r.Params) == 0 || r.Params[0] != '{' {
		return nil, rpc.BadParam("", "an object is expected")
	}
	return append(json.RawMessage(nil), r.Params...), nil
}

func (h *Handler) encode(all []literal, only []string) json.RawMessage {
	size := 2
	for _, a := range all {
		size += 200 + len(a.title) + len(a.argument)
		for _, d := range a.diagnostics {
			size += len(d) + 1
		}
	}
	out := append(make([]byte, 0, size), '[')
	for _, a := range all {
		if !wanted(a.kind, only) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if h.Literals {
			out = a.appendLiteral(out)
		} else {
			out = a.appendCommand(out)
		}
	}
	return append(out, ']')
}

// parse reads what an action needs of each diagnostic and keeps its bytes.
func parse(raw []json.RawMessage) ([]Problem, error) {
	out := make([]Problem, 0, len(raw))
	for i, d := range raw {
		p, err := ParseProblem(d)
		if err != nil {
			return nil, rpc.BadParam(fmt.Sprintf("context.diagnostics[%d]", i), "%v", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// ParseProblem reads a diagnostic as LSP writes it.
func ParseProblem(raw json.RawMessage) (Problem, error) {
	var d struct {
		Range   Range           `json:"range"`
		Message json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return Problem{}, err
	}
	msg, markup := "", struct{ Value string }{}
	if json.Unmarshal(d.Message, &msg) != nil && json.Unmarshal(d.Message, &markup) == nil {
		msg = markup.Value // LSP 3.18 allows MarkupContent
	}
	return Problem{Range: d.Range, Message: msg, Raw: raw}, nil
}

func control(st State) []literal {
	var out []literal
	if st.Running {
		out = append(out, act(Stop, "Stop Companion", "companion.stop", json.RawMessage("{}")))
	}
	for _, a := range st.Approvals {
		for _, o := range a.Options {
			title := "Companion: " + o.Label + " (" + shorten(a.Title) + ")"
			out = append(out, act(Approve, title, "companion.approve",
				fmt.Appendf(nil, `{"callId":%s,"optionId":%s}`, quote(a.CallID), quote(o.ID))))
		}
	}
	return out
}

func fixes(uri string, at Range, given []Problem, st State) []literal {
	here := given
	if len(here) == 0 {
		for _, p := range st.Known {
			if touches(at, p.Range) {
				here = append(here, p)
			}
		}
	}
	var out []literal
	for i, p := range here {
		if i == maxFixes {
			break
		}
		a := act(Fix, "Fix with Companion: "+shorten(p.Message), "companion.fix",
			argument(uri, &p.Range, []json.RawMessage{p.Raw}))
		a.diagnostics = []json.RawMessage{p.Raw}
		out = append(out, a)
	}
	all := merge(st.Known, given)
	switch {
	case len(all) >= 2:
		raw := make([]json.RawMessage, len(all))
		for i, p := range all {
			raw[i] = p.Raw
		}
		a := act(FixAll, fmt.Sprintf("Fix all %d with Companion", len(all)), "companion.fix", argument(uri, nil, raw))
		a.diagnostics = raw
		out = append(out, a)
	case len(all) == 0 && !st.IsKnown && st.HasServer:
		out = append(out, act(FixAll, "Fix problems in this file with Companion", "companion.fix", argument(uri, nil, nil)))
	}
	return out
}

// hunks are the actions on pending changes of the lines.
func hunks(uri string, at Range, list []Hunk) []literal {
	var out []literal
	for _, h := range list {
		if at.End.Line < h.First || h.Last < at.Start.Line {
			continue
		}
		several := fmt.Appendf(nil, `{"threadId":%s,"uri":%s,"hunkIds":[%s]}`, quote(h.Thread), quote(uri), quote(h.ID))
		one := fmt.Appendf(nil, `{"threadId":%s,"uri":%s,"hunkId":%s}`, quote(h.Thread), quote(uri), quote(h.ID))
		out = append(
			out,
			act(Keep, "Keep this change", "companion.keep", several),
			act(Undo, "Undo this change", "companion.undo", several),
			act(Diff, "Show this change", "companion.diff", one),
		)
	}
	return out
}

func refactors(uri string, at Range, st State) []literal {
	arg := argument(uri, &at, nil)
	out := []literal{act(Edit, "Edit with Companion…", "companion.edit", arg)}
	for _, p := range st.Prompts {
		own := append(append(append(arg[:len(arg)-1:len(arg)-1], `,"prompt":`...), quote(p.Text)...), '}')
		out = append(out, act(Edit, "Companion: "+shorten(p.Title), "companion.edit", own))
	}
	if at.Start == at.End && (st.Inside == nil || !st.Inside(at.Start.Line)) {
		return out
	}
	return append(
		out,
		act(Extract, "Extract with Companion", "companion.extract", arg),
		act(Document, "Document with Companion", "companion.document", arg),
		act(Test, "Write tests with Companion", "companion.test", arg),
		act(Explain, "Explain with Companion", "companion.explain", arg),
	)
}

func act(kind, title, cmd string, arg json.RawMessage) literal {
	return literal{title: title, kind: kind, command: cmd, argument: arg}
}

// merge gives known and what of given is not among them: same place, same
// words.
func merge(known, given []Problem) []Problem {
	if len(given) == 0 {
		return known
	}
	type key struct {
		at  Range
		msg string
	}
	seen := make(map[key]bool, len(known)+len(given))
	var out []Problem
	for _, list := range [][]Problem{known, given} {
		for _, p := range list {
			k := key{p.Range, p.Message}
			if !seen[k] {
				seen[k] = true
				out = append(out, p)
			}
		}
	}
	return out
}

func before(p, q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// touches reports whether two ranges share a position, ends included.
func touches(a, b Range) bool { return !before(a.End, b.Start) && !before(b.End, a.Start) }

// shorten gives the first line of a message, cut at a rune.
func shorten(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.TrimSpace(s)
	if len(s) <= maxTitle {
		return s
	}
	n := maxTitle
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Touches reports whether the problem shares a position with r, ends included.
func (p Problem) Touches(r Range) bool { return touches(p.Range, r) }
