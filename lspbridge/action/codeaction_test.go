package action

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"companion/lspbridge/rpc"
)

func problem(line int, msg string) Problem {
	raw := fmt.Sprintf(`{"range":{"start":{"line":%d,"character":2},"end":{"line":%d,"character":5}},"message":%q,"data":{"kept":[1,2]},"x":"unknown field"}`, line, line, msg)
	p, err := ParseProblem([]byte(raw))
	if err != nil {
		panic(err)
	}
	return p
}

func list(t *testing.T, st State, literals bool, params string) string {
	t.Helper()
	h := &Handler{Literals: literals, State: func(string) State { return st }}
	out, err := h.List(context.Background(), &rpc.Request{Params: []byte(params)})
	if err != nil {
		t.Fatal(err)
	}
	raw, ok := out.(json.RawMessage)
	if !ok || !json.Valid(raw) {
		t.Fatalf("no JSON: %s", out)
	}
	return string(raw)
}

func titles(t *testing.T, st State, params string) []string {
	t.Helper()
	var all []struct{ Title, Kind string }
	if err := json.Unmarshal([]byte(list(t, st, true, params)), &all); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, a := range all {
		out = append(out, a.Kind+": "+a.Title)
	}
	return out
}

const (
	cursor    = `"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":3}}`
	selection = `"range":{"start":{"line":1,"character":0},"end":{"line":3,"character":0}}`
	edit      = "refactor.rewrite.companion.edit: Edit with Companion…"
)

func ask(at, context string) string {
	return `{"textDocument":{"uri":"file:///a.go"},` + at + `,"context":` + context + `}`
}

func TestWhatIsOffered(t *testing.T) {
	known := State{Served: true, IsKnown: true, Known: []Problem{problem(1, "first"), problem(7, "second"), problem(9, "third")}}
	given := `{"diagnostics":[` + string(problem(1, "first").Raw) + `]}`
	for _, c := range []struct {
		name   string
		st     State
		params string
		want   []string
	}{
		{"nothing but edit at a cursor", State{Served: true}, ask(cursor, `{"diagnostics":[]}`), []string{edit}},
		{
			"no diagnostics in the context: our own", known, ask(cursor, `{"diagnostics":[]}`),
			[]string{"quickfix.companion.fix: Fix with Companion: first", "quickfix.companion.fixAll: Fix all 3 with Companion", edit},
		},
		{
			"the context's are not counted twice", known, ask(cursor, given),
			[]string{"quickfix.companion.fix: Fix with Companion: first", "quickfix.companion.fixAll: Fix all 3 with Companion", edit},
		},
		{
			"one of another server",
			State{Served: true},
			ask(cursor, given),
			[]string{"quickfix.companion.fix: Fix with Companion: first", edit},
		},
		{
			"none known, a server is there",
			State{Served: true, HasServer: true},
			ask(cursor, `{"diagnostics":[]}`),
			[]string{"quickfix.companion.fixAll: Fix problems in this file with Companion", edit},
		},
		{"known to be clean", State{Served: true, HasServer: true, IsKnown: true}, ask(cursor, `{"diagnostics":[]}`), []string{edit}},
		{"a selection", State{Served: true}, ask(selection, `{"diagnostics":[]}`), []string{
			edit, "refactor.extract.companion: Extract with Companion", "refactor.rewrite.companion.document: Document with Companion",
			"refactor.companion.test: Write tests with Companion", "refactor.companion.explain: Explain with Companion",
		}},
		{
			"only quickfix", known, ask(selection, `{"diagnostics":[],"only":["quickfix"]}`),
			[]string{"quickfix.companion.fix: Fix with Companion: first", "quickfix.companion.fixAll: Fix all 3 with Companion"},
		},
		{"only one kind exactly", known, ask(selection, `{"diagnostics":[],"only":["quickfix.companion.fix"]}`), []string{"quickfix.companion.fix: Fix with Companion: first"}},
		{"a kind that only begins alike", known, ask(selection, `{"diagnostics":[],"only":["quick","source","quickfix.companion.fi"]}`), []string{}},
		{"only refactor.rewrite", known, ask(selection, `{"diagnostics":[],"only":["refactor.rewrite"]}`), []string{edit, "refactor.rewrite.companion.document: Document with Companion"}},
		{"every kind by the empty one", State{Served: true}, ask(cursor, `{"diagnostics":[],"only":[""]}`), []string{edit}},
		{"a turn runs", State{Served: true, Running: true}, ask(cursor, `{"diagnostics":[]}`), []string{"quickfix.companion.stop: Stop Companion", edit}},
		{
			"an approval that no message request shows",
			State{Served: true, Approvals: []Approval{{"c1", "Run make?", []Option{{"yes", "Allow once"}, {"no", "Reject"}}}}},
			ask(cursor, `{"diagnostics":[]}`),
			[]string{"quickfix.companion.approve: Companion: Allow once (Run make?)", "quickfix.companion.approve: Companion: Reject (Run make?)", edit},
		},
		{"another scheme", State{}, ask(selection, given), []string{}},
		{"no context", State{Served: true}, `{"textDocument":{"uri":"file:///a.go"},` + cursor + `}`, []string{edit}},
		{"asked for by itself (triggerKind Automatic) it only lists", State{Served: true}, ask(cursor, `{"diagnostics":[],"triggerKind":2}`), []string{edit}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := titles(t, c.st, c.params)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestDiagnosticsAreHandedOnByteForByte(t *testing.T) {
	p := problem(1, "a <b> & \"c\"\nsecond line")
	got := list(t, State{Served: true}, true, ask(cursor, `{"diagnostics":[`+string(p.Raw)+`],"only":["quickfix"]}`))
	var all []struct {
		Title       string
		Diagnostics []json.RawMessage
		Command     struct {
			Command   string
			Arguments []struct{ Diagnostics []json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(got), &all); err != nil || len(all) != 1 {
		t.Fatalf("%s %v", got, err)
	}
	a := all[0]
	if a.Title != `Fix with Companion: a <b> & "c"` || a.Command.Command != "companion.fix" {
		t.Errorf("title %q command %q", a.Title, a.Command.Command)
	}
	for _, d := range []json.RawMessage{a.Diagnostics[0], a.Command.Arguments[0].Diagnostics[0]} {
		var v, w any
		if json.Unmarshal(d, &v) != nil || json.Unmarshal(p.Raw, &w) != nil || fmt.Sprint(v) != fmt.Sprint(w) {
			t.Errorf("got %s\nwant %s", d, p.Raw)
		}
	}
}

func TestClientsWithoutLiteralsGetCommands(t *testing.T) {
	got := list(t, State{Served: true}, false, ask(cursor, `{"diagnostics":[]}`))
	want := `[{"title":"Edit with Companion…","command":"companion.edit","arguments":[{"uri":"file:///a.go","range":{"start":{"line":1,"character":3},"end":{"line":1,"character":3}}}]}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBadParamsAreNamedByTheirPath(t *testing.T) {
	h := &Handler{State: func(string) State { return State{Served: true} }}
	for params, want := range map[string]string{
		`{}`:                            "textDocument.uri: missing",
		`[]`:                            "params: array where an object is expected",
		`{"textDocument":5}`:            "textDocument: number where an object is expected",
		`{"textDocument":{"uri":5}}`:    "textDocument.uri: number where a string is expected",
		`{"textDocument":{"uri":"u:"}}`: "range: missing",
		ask(cursor, `{"diagnostics":[{"range":{"start":{"line":"x"}}}]}`): "context.diagnostics[0]: json:",
		ask(cursor, `{"only":"quickfix"}`):                                "context.only: string where an array is expected",
	} {
		_, err := h.List(context.Background(), &rpc.Request{Params: []byte(params)})
		if !rpc.IsCode(err, rpc.InvalidParams) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", params, err, want)
		}
	}
}

func TestResolveGivesTheActionBack(t *testing.T) {
	h := &Handler{}
	in := `{"title":"x","kind":"quickfix","data":{"a":[1, 2]},"unknown":true}`
	out, err := h.Resolve(context.Background(), &rpc.Request{Params: []byte(in)})
	if raw, ok := out.(json.RawMessage); err != nil || !ok || string(raw) != in {
		t.Errorf("%s %v", out, err)
	}
	if _, err := h.Resolve(context.Background(), &rpc.Request{}); !rpc.IsCode(err, rpc.InvalidParams) {
		t.Errorf("without params: %v", err)
	}
}

func TestLongMessagesAreCutAtACharacter(t *testing.T) {
	s := shorten(strings.Repeat("é", 100))
	if !strings.HasSuffix(s, "é…") || len(s) > maxTitle+len("…") {
		t.Errorf("%q", s)
	}
}

// The limit of docs/protocol.md is 10 ms; a file of 10,000 lines with a
// problem in every tenth.
func BenchmarkCodeAction(b *testing.B) {
	st := State{Served: true, IsKnown: true}
	for i := range 1000 {
		st.Known = append(st.Known, problem(i*10, fmt.Sprintf("undefined: name%d", i)))
	}
	h := &Handler{Literals: true, State: func(string) State { return st }}
	r := &rpc.Request{Params: []byte(ask(`"range":{"start":{"line":5000,"character":3},"end":{"line":5000,"character":3}}`, `{"diagnostics":[]}`))}
	for b.Loop() {
		_, err := h.List(context.Background(), r)
		if err != nil {
			b.Fatal(err)
		}
	}
}
