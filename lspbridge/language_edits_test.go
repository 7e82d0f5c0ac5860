package lspbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"companion/text"
	"companion/tools"

	"go.lsp.dev/uri"
)

const lendsEdits = `{"experimental":{"companion":{"version":1,"language":["textDocument/rename","textDocument/formatting","textDocument/codeAction","codeAction/resolve",` +
	`"textDocument/documentSymbol","workspace/symbol","textDocument/prepareCallHierarchy","callHierarchy/incomingCalls"]}},"general":{"positionEncodings":["utf-8"]}}`

// spelt is edits in a line each: path, ranges in utf-16 and texts.
func spelt(edits []tools.FileEdit, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for _, e := range edits {
		w := e.Path[strings.LastIndexAny(e.Path, `/\`)+1:]
		for _, x := range e.Edits {
			w += fmt.Sprintf(" %d:%d-%d:%d %q", x.Range.Start.Line, x.Range.Start.Character, x.Range.End.Line, x.Range.End.Character, x.New)
		}
		switch {
		case e.Create:
			w += " created"
		case e.Delete:
			w += " deleted"
		case e.From != "":
			w += " renamed"
		}
		out = append(out, w)
	}
	return strings.Join(out, ", ")
}

func TestRenamesOfTheEditorsLanguageServersAreChecked(t *testing.T) {
	const edit = `[{"range":{"start":{"line":1,"character":5},"end":{"line":1,"character":11}},"newText":"y"}]` // äpfel in utf-8
	const good = `a.txt 1:3-1:8 "y"`
	for _, c := range []struct{ name, result, want string }{
		{"changes", `{"changes":{"URI":` + edit + `}}`, good},
		{"document changes", `{"documentChanges":[{"textDocument":{"uri":"URI","version":null},"edits":` + edit + `}]}`, good},
		{"with a file renamed", `{"documentChanges":[{"textDocument":{"uri":"URI"},"edits":` + edit + `},{"kind":"rename","oldUri":"URI","newUri":"URI2"}]}`, good + ", a.txt2 renamed"},
		{"null", `null`, "own"},
		{"nothing", `{}`, "own"},
		{"an error", "!", "own"},
		{"no answer", "", "own"},
		{"a number", `5`, "own"},
		{"no range", `{"changes":{"URI":[{"newText":"y"}]}}`, "own"},
		{"no text", `{"changes":{"URI":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}]}}`, "own"},
		{"start after end", `{"changes":{"URI":[{"range":{"start":{"line":1,"character":0},"end":{"line":0,"character":0}},"newText":"y"}]}}`, "own"},
		{"overlapping", `{"changes":{"URI":[{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"newText":"y"},{"range":{"start":{"line":0,"character":1},"end":{"line":1,"character":0}},"newText":"z"}]}}`, "own"},
		{"past the end", `{"changes":{"URI":[{"range":{"start":{"line":99,"character":0},"end":{"line":99,"character":0}},"newText":"y"}]}}`, "own"},
		{"what is no file", `{"changes":{"jdt://x":` + edit + `}}`, "own"},
		{"an unknown operation", `{"documentChanges":[{"kind":"chmod","uri":"URI"}]}`, "own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, l, path := languages(t, lendsEdits, ownLanguage{})
				file := string(uri.File(path))
				params, got := asks(p, "textDocument/rename", strings.ReplaceAll(c.result, "URI", file), func() string {
					return spelt(l.Rename(context.Background(), path, text.Position{Line: 1, Character: 3}, "y"))
				})
				if want := `{"newName":"y","position":{"line":1,"character":5},"textDocument":{"uri":"` + file + `"}}`; params != want {
					t.Errorf("asked %s, want %s", params, want)
				}
				if got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestFormattingOfTheEditorsLanguageServersComesFirst(t *testing.T) {
	for result, want := range map[string]string{
		`[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"1"}]`: `a.txt 0:0-0:3 "1"`,
		`[]`:   "",
		`null`: "own",
		`{}`:   "own",
		"!":    "own",
	} {
		p, l, path := languages(t, lendsEdits, ownLanguage{})
		if _, got := asks(p, "textDocument/formatting", result, func() string { return spelt(l.Format(context.Background(), path)) }); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}

func TestSymbolsOfTheEditorsLanguageServersComeFirst(t *testing.T) {
	const at = `{"start":{"line":1,"character":5},"end":{"line":1,"character":11}}`
	for _, c := range []struct{ name, method, result, want string }{
		{"a tree", "textDocument/documentSymbol", `[{"name":"A","kind":5,"range":` + at + `,"selectionRange":` + at + `,"children":[{"name":"b","kind":6,"range":` + at + `,"selectionRange":` + at + `}]}]`, "A a.txt 1:3-1:8, b a.txt 1:3-1:8"},
		{"a list", "textDocument/documentSymbol", `[{"name":"A","kind":5,"location":{"uri":"URI","range":` + at + `}}]`, "A a.txt 1:3-1:8"},
		{"no name", "textDocument/documentSymbol", `[{"kind":5,"selectionRange":` + at + `}]`, "own symbols"},
		{"no place", "textDocument/documentSymbol", `[{"name":"A"}]`, "own symbols"},
		{"a text", "textDocument/documentSymbol", `"A"`, "own symbols"},
		{"of the project", "workspace/symbol", `[{"name":"A","kind":5,"location":{"uri":"URI"}}]`, "A a.txt 0:0-0:0"},
		{"of no file", "workspace/symbol", `[{"name":"A","kind":5,"location":{"uri":"jdt://x","range":` + at + `}}]`, "own x"},
		{"null", "workspace/symbol", `null`, "own x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, path := languages(t, lendsEdits, ownLanguage{})
			_, got := asks(p, c.method, strings.ReplaceAll(c.result, "URI", string(uri.File(path))), func() string {
				if c.method == "workspace/symbol" {
					return words(l.Find(context.Background(), "x", ""))
				}
				return words(l.Locations(context.Background(), "symbols", path, text.Position{}))
			})
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// answers gives the editor's answers to requests in turn.
func answers(p *peer, results []string, f func() string) (got string) {
	out := make(chan string, 1)
	go func() { out <- f() }()
	for _, r := range results {
		p.reply(p.expect("companion/language/request"), r)
	}
	return <-out
}

func TestCallersOfTheEditorsLanguageServersComeFirst(t *testing.T) {
	const at = `{"start":{"line":1,"character":5},"end":{"line":1,"character":11}}`
	for _, c := range []struct{ name, calls, want string }{
		{"a call", `[{"from":{"name":"f","kind":12,"uri":"URI","range":` + at + `,"selectionRange":` + at + `},"fromRanges":[` + at + `]}]`, "f a.txt 1:3-1:8"},
		{"no caller", `[{"fromRanges":[]}]`, "own callers"},
		{"null", `null`, "own callers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, path := languages(t, lendsEdits, ownLanguage{})
			got := answers(p, []string{`[{"name":"x","data":1}]`, strings.ReplaceAll(c.calls, "URI", string(uri.File(path)))}, func() string {
				return words(l.Locations(context.Background(), "callers", path, text.Position{}))
			})
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCodeActionsOfTheEditorThatCanBeShownComeFirst(t *testing.T) {
	const edit = `{"changes":{"URI":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"1"}]}}`
	for _, c := range []struct {
		name    string
		answers []string
		want    string
	}{
		{"with its edit", []string{`[{"title":"Do","kind":"quickfix","edit":` + edit + `}]`}, `Do: a.txt 0:0-0:3 "1"`},
		{"completed when asked", []string{`[{"title":"Do","kind":"quickfix","data":7}]`, `{"title":"Do","kind":"quickfix","edit":` + edit + `}`}, `Do: a.txt 0:0-0:3 "1"`},
		{"never completed", []string{`[{"title":"Do","kind":"quickfix","data":7}]`, `{"title":"Do"}`}, `Do: error: the editor's language servers: "Do": the action gave no edit`},
		{"only a command", []string{`[{"title":"Do","command":"x"}]`}, ": own"},
		{"of another kind", []string{`[{"title":"Do","kind":"refactor","edit":` + edit + `}]`}, ": own"},
		{"no title", []string{`[{"kind":"quickfix"}]`}, ": own"},
		{"a wrong edit", []string{`[{"title":"Do","kind":"quickfix","edit":{"changes":{"URI":[{"range":{"start":{"line":1,"character":0},"end":{"line":0,"character":0}},"newText":""}]}}}]`}, "Do: error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, path := languages(t, lendsEdits, ownLanguage{})
			for i := range c.answers {
				c.answers[i] = strings.ReplaceAll(c.answers[i], "URI", string(uri.File(path)))
			}
			got := answers(p, c.answers, func() string {
				list, err := l.CodeActions(context.Background(), path, text.Range{}, []string{"quickfix"})
				if err != nil || len(list) != 1 {
					return fmt.Sprint(list, err)
				}
				return list[0].Title + ": " + spelt(l.ResolveAction(context.Background(), path, list[0].ID))
			})
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCodeActionsAreAskedForTheKindsThatAreWanted(t *testing.T) {
	p, l, path := languages(t, lendsEdits, ownLanguage{})
	out := make(chan struct{})
	go func() {
		defer close(out)
		_, _ = l.CodeActions(context.Background(), path, text.Range{}, []string{"quickfix"})
	}()
	m := p.expect("companion/language/request")
	var sent struct {
		Params struct {
			Context json.RawMessage `json:"context"`
		} `json:"params"`
	}
	if err := json.Unmarshal(m.Params, &sent); err != nil || string(sent.Params.Context) != `{"diagnostics":[],"only":["quickfix"],"triggerKind":1}` {
		t.Errorf("%s %v", m.Params, err)
	}
	p.reply(m, "[]")
	<-out
}
