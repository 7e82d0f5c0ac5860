package nav

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// language is a language service whose answers a test gives.
type language struct {
	report  tools.Report
	items   []tools.Diagnostic
	actions []tools.CodeAction
	edits   []tools.FileEdit
	symbols []tools.Symbol
	err     error
	asked   []string
	at      text.Position
	span    text.Range
}

func (l *language) Diagnostics(_ context.Context, paths []string, worst tools.Severity) (tools.Report, []tools.Diagnostic, error) {
	name := "default"
	if worst != 0 {
		name = worst.String()
	}
	l.asked = append(l.asked, "diagnostics "+name+" "+strings.Join(paths, " "))
	return l.report, l.items, l.err
}

func (l *language) CodeActions(_ context.Context, _ string, r text.Range, only []string) ([]tools.CodeAction, error) {
	l.asked, l.span = append(l.asked, "actions "+strings.Join(only, " ")), r
	return l.actions, l.err
}

func (l *language) ResolveAction(_ context.Context, _, id string) ([]tools.FileEdit, error) {
	l.asked = append(l.asked, "resolve "+id)
	return l.edits, l.err
}

func (l *language) Locations(_ context.Context, what, _ string, pos text.Position) ([]tools.Symbol, error) {
	l.asked, l.at = append(l.asked, what), pos
	return l.symbols, l.err
}

func (l *language) Find(_ context.Context, query, path string) ([]tools.Symbol, error) {
	l.asked = append(l.asked, "find "+query+" "+path)
	return l.symbols, l.err
}

func (l *language) Rename(_ context.Context, _ string, pos text.Position, name string) ([]tools.FileEdit, error) {
	l.asked, l.at = append(l.asked, "rename "+name), pos
	return l.edits, l.err
}

func (l *language) Format(context.Context, string) ([]tools.FileEdit, error) {
	l.asked = append(l.asked, "format")
	return l.edits, l.err
}

func (l *language) Hover(_ context.Context, _ string, pos text.Position) (string, error) {
	l.at = pos
	return "func F()", l.err
}

type bench struct {
	t    *testing.T
	root string
	ws   *workspace.Workspace
	lang *language
	lsp  tools.Tool
}

func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, root: root, ws: ws, lang: &language{}}
	b.lsp = LSP(ws, b.lang)
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *bench) content(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) run(tool tools.Tool, args any) (tools.Action, tools.Result) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	action, err := tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: []string{b.root}, Args: raw})
	var res tools.Result
	if err == nil {
		res, err = action.Run(context.Background(), nil)
	}
	if err != nil {
		var r *tools.Refusal
		if !errors.As(err, &r) {
			b.t.Fatalf("the turn would end: %v", err)
		}
		res = tools.Result{Outcome: r.Outcome, Text: r.Text}
	}
	return action, res
}

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
}

func at(l1, c1, l2, c2 int) text.Range {
	return text.Range{Start: text.Position{Line: l1, Character: c1}, End: text.Position{Line: l2, Character: c2}}
}

func TestDiagnosticsSayHowFreshAndListOneALine(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "package a\n", "b/b.go": "package b\n"})
	b.lang.report = tools.Report{Status: tools.Complete, SettleMs: 12, Checked: 2, Candidates: 2}
	b.lang.items = []tools.Diagnostic{
		{Path: b.path("b/b.go"), Range: at(3, 1, 3, 2), Severity: tools.Warning, Message: "unused", Server: "gopls"},
		{Path: b.path("a.go"), Range: at(9, 0, 9, 1), Severity: tools.Error, Message: "late", Source: "compiler", Code: "X", Server: "gopls"},
		{Path: b.path("a.go"), Range: at(1, 4, 1, 6), Message: "first\r\nsecond\n\n third", Source: "compiler", Server: "gopls"},
	}
	_, res := b.run(Diagnostics(b.ws, b.lang), diagnosticsArgs{Paths: []string{"a.go", b.path("b/b.go")}})
	wantText := `Diagnostics (gopls, complete, 12 ms): 2 errors, 1 warnings.
b/b.go:4:2: warning: unused
a.go:2:5: error: first ⏎ second ⏎  ⏎  third [compiler]
a.go:10:1: error: late [compiler X]`
	if res.Text != wantText {
		t.Errorf("got\n%s\nwant\n%s", res.Text, wantText)
	}
	if want := []string{"diagnostics default " + b.path("a.go") + " " + b.path("b/b.go")}; !slices.Equal(b.lang.asked, want) {
		t.Errorf("asked %v", b.lang.asked)
	}
	form := regexp.MustCompile(`^(.+):(\d+):(\d+): (error|warning|info|hint): (.*?)( \[[^\]]*\])?$`)
	for _, l := range strings.Split(res.Text, "\n")[1:] {
		if !form.MatchString(l) {
			t.Errorf("%q does not have the fixed form", l)
		}
	}
}

func TestDiagnosticsThatAreNotKnownAreNotCalledClean(t *testing.T) {
	for name, c := range map[string]struct {
		report tools.Report
		words  string
	}{
		"pending":        {tools.Report{Status: tools.Pending, Candidates: 3, Checked: 1}, "not known yet"},
		"no server":      {tools.Report{Status: tools.NoServer}, "no language server"},
		"down":           {tools.Report{Status: tools.ServerDown}, "nothing is known"},
		"unconfirmed":    {tools.Report{Status: tools.Unconfirmed}, "unconfirmed"},
		"service's line": {tools.Report{Status: tools.Complete, Text: "Diagnostics (pyright, complete, 9 ms): no problems.\nmore"}, "Diagnostics (pyright, complete, 9 ms): no problems."},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.lang.report = c.report
			_, res := b.run(Diagnostics(b.ws, b.lang), diagnosticsArgs{Severity: "hint"})
			want(t, res, tools.OK, c.words)
			if strings.Contains(res.Text, "\n") {
				t.Errorf("more than one line: %q", res.Text)
			}
			if b.lang.asked[0] != "diagnostics hint " {
				t.Errorf("asked %v", b.lang.asked)
			}
		})
	}
}

func TestDiagnosticsOfNoFileOfferNearNames(t *testing.T) {
	b := newBench(t, map[string]string{"sub/main.go": "package a\n"})
	_, res := b.run(Diagnostics(b.ws, b.lang), diagnosticsArgs{Paths: []string{"main.go"}})
	want(t, res, tools.Failed, "There is no file main.go", "sub/main.go")
}

func TestCodeActionsHaveTheFixedForm(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "package a\n\tx := 1 // é😀\n"})
	b.lang.actions = []tools.CodeAction{
		{ID: "1", Title: "Remove x", Kind: "quickfix", Preferred: true, Fixes: []string{"declared and\nnot used: x"}},
		{ID: "2", Title: "Extract", Kind: "refactor.extract", Disabled: "nothing selected"},
	}
	action, res := b.run(b.lsp, lspArgs{Action: "code_actions", Path: "a.go", Line: 2, Only: []string{"quickfix"}})
	wantText := "2 code actions for a.go:2.\n1. Remove x [quickfix] preferred\n   fixes: declared and ⏎ not used: x\n2. Extract [refactor.extract] disabled: nothing selected"
	if res.Text != wantText {
		t.Errorf("got\n%s\nwant\n%s", res.Text, wantText)
	}
	if b.lang.span != at(1, 0, 1, 14) || b.lang.asked[0] != "actions quickfix" {
		t.Errorf("asked %v for %v", b.lang.asked, b.lang.span)
	}
	if action.Effects[0].Kind != tools.Read {
		t.Errorf("effects %v", action.Effects)
	}
	_, res = b.run(b.lsp, lspArgs{Action: "code_actions", Path: "a.go", Line: 9})
	want(t, res, tools.Failed, "past its end")
	_, res = b.run(b.lsp, lspArgs{Action: "code_actions", Path: "a.go"})
	want(t, res, tools.Failed, "Give line")
}

func TestAnAppliedActionShowsAndMakesItsEdits(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "one\r\ntwo\r\n", "b.go": "x\n", "gone.go": "g\n"})
	b.lang.actions = []tools.CodeAction{{ID: "1", Title: "Do it", Kind: "quickfix"}}
	b.lang.edits = []tools.FileEdit{
		{Path: b.path("a.go"), Edits: []text.RangeEdit{{Range: at(1, 0, 1, 3), New: "TWO"}}},
		{Path: b.path("b.go"), Edits: []text.RangeEdit{{Range: at(0, 0, 0, 0), New: "a"}}},
		{Path: b.path("b.go"), Edits: []text.RangeEdit{{Range: at(0, 1, 0, 1), New: "z"}}},
		{Path: b.path("sub/new.go"), Create: true},
		{Path: b.path("sub/new.go"), Edits: []text.RangeEdit{{Range: at(0, 0, 0, 0), New: "n\n"}}},
		{Path: b.path("gone.go"), Delete: true},
	}
	b.run(b.lsp, lspArgs{Action: "code_actions", Path: "a.go", Line: 1})
	action, res := b.run(b.lsp, lspArgs{Action: "apply_code_action", Path: "a.go", ID: "1"})
	want(t, res, tools.OK, "Applied \"Do it\" to 4 files.\n\n--- a/a.go\n+++ b/a.go\n", "-two", "+TWO", "+axz", "--- /dev/null\n+++ b/sub/new.go\n", "+++ /dev/null")
	if b.content("a.go") != "one\r\nTWO\r\n" || b.content("b.go") != "axz\n" || b.content("sub/new.go") != "n\n" {
		t.Error("the edits did not land as sent")
	}
	if _, err := os.Stat(b.path("gone.go")); !os.IsNotExist(err) {
		t.Errorf("the deleted file: %v", err)
	}
	if len(action.Effects) != 4 || action.Effects[0].Kind != tools.Write || !strings.Contains(res.Text, action.Preview.Diff) || len(res.Changed) != 4 {
		t.Errorf("effects %v, changed %v", action.Effects, res.Changed)
	}
}

// HB-016, and what else a server may send.
func TestAWrongServerEditIsRefusedAsAWhole(t *testing.T) {
	ten := strings.Repeat("line\n", 10)
	good := func(b *bench) tools.FileEdit {
		return tools.FileEdit{Path: b.path("ok.go"), Edits: []text.RangeEdit{{Range: at(0, 0, 0, 1), New: "X"}}}
	}
	for name, c := range map[string]struct {
		edit  func(b *bench) tools.FileEdit
		words []string
	}{
		"reversed": {func(b *bench) tools.FileEdit {
			return tools.FileEdit{Path: b.path("a.go"), Edits: []text.RangeEdit{{Range: at(5, 0, 2, 0), New: "x"}}}
		}, []string{"a.go", "6:1-3:1", "refused"}},
		"overlapping": {func(b *bench) tools.FileEdit {
			return tools.FileEdit{Path: b.path("a.go"), Edits: []text.RangeEdit{{Range: at(1, 0, 3, 0), New: "x"}, {Range: at(2, 0, 4, 0), New: "y"}}}
		}, []string{"overlaps", "range 3:1-5:1", "refused"}},
		"outside the roots": {func(*bench) tools.FileEdit {
			return tools.FileEdit{Path: filepath.Join(os.TempDir(), "elsewhere.go"), Create: true}
		}, []string{"outside the workspace", "refused"}},
		"outside by dots": {func(b *bench) tools.FileEdit {
			return tools.FileEdit{Path: b.root + "/../elsewhere.go", Create: true}
		}, []string{"outside the workspace"}},
		"a file that is not there": {func(b *bench) tools.FileEdit {
			return tools.FileEdit{Path: b.path("none.go"), Edits: []text.RangeEdit{{New: "x"}}}
		}, []string{"does not exist"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"a.go": ten, "ok.go": "abc\n"})
			b.lang.edits = []tools.FileEdit{good(b), c.edit(b)}
			_, res := b.run(b.lsp, lspArgs{Action: "apply_code_action", Path: "a.go", ID: "1"})
			want(t, res, tools.Failed, append(c.words, "Nothing was changed")...)
			if b.content("a.go") != ten || b.content("ok.go") != "abc\n" {
				t.Error("a part of it landed")
			}
		})
	}
}

func TestAnActionThatDoesNothingOrFailsIsSaid(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "a\n"})
	_, res := b.run(b.lsp, lspArgs{Action: "apply_code_action", Path: "a.go", ID: "7"})
	want(t, res, tools.Failed, "changes nothing")
	_, res = b.run(b.lsp, lspArgs{Action: "apply_code_action", Path: "a.go"})
	want(t, res, tools.Failed, "Give id")
	b.lang.err = errors.New("gopls: no such action")
	_, res = b.run(b.lsp, lspArgs{Action: "apply_code_action", Path: "a.go", ID: "7"})
	want(t, res, tools.Failed, "gopls: no such action.")
}

func TestAModeWithoutChangesDoesNotEvenResolve(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "a\n"})
	raw := []byte(`{"action":"apply_code_action","path":"a.go","id":"1"}`)
	for _, mode := range []tools.Mode{tools.ModeAsk, tools.ModePlan} {
		action, err := b.lsp.Prepare(context.Background(), tools.Call{Roots: []string{b.root}, Mode: mode, Args: raw})
		if err != nil || action.Effects[0].Kind != tools.Write || len(b.lang.asked) > 0 {
			t.Errorf("effects %v, asked %v, %v", action.Effects, b.lang.asked, err)
		}
		var r *tools.Refusal
		if _, err := action.Run(context.Background(), nil); !errors.As(err, &r) || r.Outcome != tools.Denied {
			t.Errorf("ran: %v", err)
		}
	}
}

func TestPositionsGoBySymbol(t *testing.T) {
	body := "package a\n\nfunc Foobar() { Foo() }\nvar 😀Foo = pkg.Foo\n"
	for name, c := range map[string]struct {
		args  lspArgs
		at    text.Position
		words string
	}{
		"whole word, first line that has it": {lspArgs{Symbol: "Foo"}, text.Position{Line: 2, Character: 16}, ""},
		"in the given line, utf-16":          {lspArgs{Symbol: "Foo", Line: 4}, text.Position{Line: 3, Character: 6}, ""},
		"last part of a qualified name":      {lspArgs{Symbol: "pkg.Foo"}, text.Position{Line: 3, Character: 16}, ""},
		"first name of the line":             {lspArgs{Line: 3}, text.Position{Line: 2, Character: 0}, ""},
		"not there":                          {lspArgs{Symbol: "Nope"}, text.Position{}, `"Nope" does not stand in a.go`},
		"not in the line":                    {lspArgs{Symbol: "Foo", Line: 1}, text.Position{}, "line 1 of a.go"},
		"past the end":                       {lspArgs{Symbol: "Foo", Line: 99}, text.Position{}, "past its end"},
		"nothing given":                      {lspArgs{}, text.Position{}, "Give symbol"},
		"an empty line":                      {lspArgs{Line: 2}, text.Position{}, "holds no name"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"a.go": body})
			c.args.Action, c.args.Path = "hover", "a.go"
			_, res := b.run(b.lsp, c.args)
			if c.words != "" {
				want(t, res, tools.Failed, c.words)
				return
			}
			want(t, res, tools.OK, "func F()")
			if b.lang.at != c.at {
				t.Errorf("asked at %v, want %v", b.lang.at, c.at)
			}
		})
	}
}

func TestPlacesAreListedWithTheirText(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "package a\n\tfunc F() {}\n"})
	b.lang.symbols = []tools.Symbol{{Name: "F", Kind: "function", Container: "a", Path: b.path("a.go"), Range: at(1, 6, 1, 7)}, {Path: b.path("a.go")}}
	for _, action := range []string{"definition", "references", "implementation", "callers", "symbols"} {
		_, res := b.run(b.lsp, lspArgs{Action: action, Path: "a.go", Symbol: "F"})
		want(t, res, tools.OK, "2 found.\na.go:2:7: function F in a | func F() {}\na.go:1:1: | package a\n")
		if last := b.lang.asked[len(b.lang.asked)-1]; last != action {
			t.Errorf("asked for %q", last)
		}
	}
	b.lang.symbols = nil
	_, res := b.run(b.lsp, lspArgs{Action: "references", Path: "a.go", Symbol: "F"})
	want(t, res, tools.OK, "knows no references of F at a.go:2")
	b.lang.err = errors.New("a.go: no language server is known for files of this kind")
	_, res = b.run(b.lsp, lspArgs{Action: "definition", Path: "a.go", Symbol: "F"})
	want(t, res, tools.Failed, "no language server")
}

func TestARenameShowsAndMakesItsEdits(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "package a\n\nfunc 😀() { Foo() }\n", "b.go": "Foo\n"})
	b.lang.edits = []tools.FileEdit{
		{Path: b.path("a.go"), Edits: []text.RangeEdit{{Range: at(2, 12, 2, 15), New: "Bar"}}},
		{Path: b.path("b.go"), Edits: []text.RangeEdit{{Range: at(0, 0, 0, 3), New: "Bar"}}},
	}
	action, res := b.run(b.lsp, lspArgs{Action: "rename", Path: "a.go", Symbol: "Foo", NewName: " Bar "})
	want(t, res, tools.OK, "Renamed Foo to Bar in 2 files.", "-Foo", "+Bar", action.Preview.Diff)
	if b.lang.at != (text.Position{Line: 2, Character: 12}) || b.lang.asked[0] != "rename Bar" {
		t.Errorf("asked %v at %v", b.lang.asked, b.lang.at)
	}
	if b.content("a.go") != "package a\n\nfunc 😀() { Bar() }\n" || b.content("b.go") != "Bar\n" || len(res.Changed) != 2 || len(action.Effects) != 2 || action.Effects[0].Kind != tools.Write {
		t.Errorf("%q, effects %v", b.content("a.go"), action.Effects)
	}
	for _, c := range []struct {
		args  lspArgs
		words string
	}{
		{lspArgs{Path: "a.go", Symbol: "Bar"}, "Give new_name"},
		{lspArgs{Path: "a.go", Symbol: "Bar", NewName: "a\nb"}, "Give new_name"},
		{lspArgs{Path: "a.go", Symbol: "None", NewName: "x"}, "does not stand in a.go"},
		{lspArgs{Path: "none.go", Symbol: "Bar", NewName: "x"}, "There is no file"},
		{lspArgs{Symbol: "Bar", NewName: "x"}, "Give path"},
	} {
		c.args.Action = "rename"
		_, res := b.run(b.lsp, c.args)
		want(t, res, tools.Failed, c.words)
	}
	b.lang.edits = nil
	_, res = b.run(b.lsp, lspArgs{Action: "rename", Path: "a.go", Symbol: "Bar", NewName: "x"})
	want(t, res, tools.Failed, "changes nothing to rename Bar at a.go:3")
	b.lang.err = errors.New("gopls: renaming this is not possible")
	_, res = b.run(b.lsp, lspArgs{Action: "rename", Path: "a.go", Symbol: "Bar", NewName: "x"})
	want(t, res, tools.Failed, "gopls: renaming this is not possible.")
}

func TestFormattingIsAnEditAndSaysWhenThereIsNothingToDo(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "x  =1\n"})
	b.lang.edits = []tools.FileEdit{{Path: b.path("a.go"), Edits: []text.RangeEdit{{Range: at(0, 1, 0, 4), New: " = "}}}}
	_, res := b.run(b.lsp, lspArgs{Action: "format", Path: "a.go"})
	want(t, res, tools.OK, "Formatted a.go.", "+x = 1")
	b.lang.edits = nil
	action, res := b.run(b.lsp, lspArgs{Action: "format", Path: "a.go"})
	want(t, res, tools.OK, "formatted already")
	if action.Effects[0].Kind != tools.Read {
		t.Errorf("effects %v", action.Effects)
	}
}

func TestRenameAndFormatAskNothingInAModeWithoutChanges(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "Foo\n"})
	for _, raw := range []string{`{"action":"rename","path":"a.go","symbol":"Foo","new_name":"Bar"}`, `{"action":"format","path":"a.go"}`} {
		for _, mode := range []tools.Mode{tools.ModeAsk, tools.ModePlan} {
			action, err := b.lsp.Prepare(context.Background(), tools.Call{Roots: []string{b.root}, Mode: mode, Args: []byte(raw)})
			if err != nil || action.Effects[0].Kind != tools.Write || len(b.lang.asked) > 0 {
				t.Errorf("%s: effects %v, asked %v, %v", raw, action.Effects, b.lang.asked, err)
			}
		}
	}
}

func TestSymbolsAreFoundByName(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "package a\n\tfunc F() {}\n"})
	b.lang.symbols = []tools.Symbol{{Name: "F", Kind: "function", Path: b.path("a.go"), Range: at(1, 6, 1, 7)}}
	_, res := b.run(b.lsp, lspArgs{Action: "workspace_symbols", Symbol: "F", Path: "a.go"})
	want(t, res, tools.OK, "Symbols like F, 1 found.\na.go:2:7: function F | func F() {}")
	b.lang.symbols = nil
	_, res = b.run(b.lsp, lspArgs{Action: "workspace_symbols", Symbol: "F"})
	want(t, res, tools.OK, "No language server knows a symbol like F.", "give the path")
	if got := b.lang.asked; got[0] != "find F "+b.path("a.go") || got[1] != "find F " {
		t.Errorf("asked %q", got)
	}
	_, res = b.run(b.lsp, lspArgs{Action: "workspace_symbols", Path: "a.go"})
	want(t, res, tools.Failed, "Give symbol")
}
