package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/lspbridge/editor"
	"companion/lspbridge/language"
	"companion/text"
	"companion/tools"

	"go.lsp.dev/uri"
)

// ownLanguage is companion's own client: it knows one thing of everything.
type ownLanguage struct{ err error }

func (o ownLanguage) Diagnostics(context.Context, []string, tools.Severity) (tools.Report, []tools.Diagnostic, error) {
	return tools.Report{}, []tools.Diagnostic{{Message: "own"}}, o.err
}

func (o ownLanguage) CodeActions(context.Context, string, text.Range, []string) ([]tools.CodeAction, error) {
	return []tools.CodeAction{{ID: "own"}}, o.err
}

func (o ownLanguage) ResolveAction(context.Context, string, string) ([]tools.FileEdit, error) {
	return []tools.FileEdit{{Path: "own"}}, o.err
}

func (o ownLanguage) Locations(_ context.Context, what, _ string, _ text.Position) ([]tools.Symbol, error) {
	if o.err != nil {
		return nil, o.err
	}
	return []tools.Symbol{{Name: "own " + what}}, nil
}

func (o ownLanguage) Hover(context.Context, string, text.Position) (string, error) {
	if o.err != nil {
		return "", o.err
	}
	return "own", nil
}

func (o ownLanguage) Find(_ context.Context, query, _ string) ([]tools.Symbol, error) {
	if o.err != nil {
		return nil, o.err
	}
	return []tools.Symbol{{Name: "own " + query}}, nil
}

func (o ownLanguage) Rename(context.Context, string, text.Position, string) ([]tools.FileEdit, error) {
	return []tools.FileEdit{{Path: "own"}}, o.err
}

func (o ownLanguage) Format(context.Context, string) ([]tools.FileEdit, error) {
	return []tools.FileEdit{{Path: "own"}}, o.err
}

const lendsLanguage = `{"experimental":{"companion":{"version":1,"language":["textDocument/definition","textDocument/references","textDocument/hover"]}},` +
	`"general":{"positionEncodings":["utf-8"]}}`

// languages gives an editor that lends its language servers, speaking utf-8,
// and the folder with a.txt that its requests are about.
func languages(t *testing.T, caps string, own ownLanguage) (*peer, *language.Language, string) {
	t.Helper()
	dir := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n\U0001F600 äpfel x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fake{roots: []string{dir}}
	p := serve(t, Options{Build: f.build})
	p.initialize(caps, "")
	return p, language.New(language.Options{Editor: f.init.Lends, Workspace: f.workspace, Encoding: f.init.Encoding, Own: own}), filepath.Join(dir, "a.txt")
}

func words(found []tools.Symbol, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for _, s := range found {
		w := s.Name
		if s.Path != "" {
			r := s.Range
			w += fmt.Sprintf(" %s %d:%d-%d:%d", filepath.Base(s.Path), r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
		}
		out = append(out, w)
	}
	return strings.Join(out, ", ")
}

// asks puts f, which the editor answers with result, "!" = an error and "" =
// never.
func asks(p *peer, method, result string, f func() string) (params, got string) {
	out := make(chan string, 1)
	go func() { out <- f() }()
	m := p.expect("companion/language/request")
	var sent struct {
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(m.Params, &sent); err != nil || sent.Method != method {
		p.t.Errorf("%s, want %s", m.Params, method)
	}
	switch result {
	case "!":
		p.refuse(m, -32603)
	case "":
		time.Sleep(editor.Deadline) // virtual
		p.expect("$/cancelRequest")
	default:
		p.reply(m, result)
	}
	return string(sent.Params), <-out
}

func TestPlacesOfTheEditorsLanguageServersComeFirst(t *testing.T) {
	const at = `{"start":{"line":1,"character":5},"end":{"line":1,"character":11}}` // äpfel in utf-8
	const apfel = "äpfel a.txt 1:3-1:8"
	for _, c := range []struct{ name, result, want string }{
		{"a Location", `{"uri":"URI","range":` + at + `}`, apfel},
		{"Locations", `[{"uri":"URI","range":` + at + `},{"uri":"URI","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}}}]`, apfel + ", one a.txt 0:0-0:3"},
		{"LocationLinks", `[{"targetUri":"URI","targetRange":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"targetSelectionRange":` + at + `}]`, apfel},
		{"beyond the text", `{"uri":"URI","range":{"start":{"line":1,"character":5},"end":{"line":9,"character":9}}}`, "äpfel x a.txt 1:3-2:0"},
		{"what is no file", `[{"uri":"jdt://x","range":` + at + `},{"uri":"URI","range":` + at + `}]`, apfel},
		{"only what is no file", `[{"uri":"jdt://x","range":` + at + `}]`, "own definition"},
		{"null", `null`, "own definition"},
		{"none", `[]`, "own definition"},
		{"an error", "!", "own definition"},
		{"no answer", "", "own definition"},
		{"a text", `"x"`, "own definition"},
		{"no range", `[{"uri":"URI"}]`, "own definition"},
		{"half a range", `[{"uri":"URI","range":{"start":{"line":1,"character":5}}}]`, "own definition"},
		{"below zero", `[{"uri":"URI","range":{"start":{"line":-1,"character":5},"end":{"line":1,"character":1}}}]`, "own definition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, l, path := languages(t, lendsLanguage, ownLanguage{})
				file := string(uri.File(path))
				params, got := asks(p, "textDocument/definition", strings.ReplaceAll(c.result, "URI", file), func() string {
					return words(l.Locations(context.Background(), "definition", path, text.Position{Line: 1, Character: 3}))
				})
				if want := `{"position":{"line":1,"character":5},"textDocument":{"uri":"` + file + `"}}`; params != want {
					t.Errorf("asked %s, want %s", params, want)
				}
				if got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestHoversOfTheEditorsLanguageServersComeFirst(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"markup", `{"contents":{"kind":"markdown","value":"**x**"}}`, "**x**"},
		{"a text", `{"contents":"x"}`, "x"},
		{"code", `{"contents":{"language":"go","value":"var x"}}`, "```go\nvar x\n```"},
		{"a list", `{"contents":["x","",{"language":"go","value":"y"}]}`, "x\n\n```go\ny\n```"},
		{"nothing", `null`, "own"},
		{"empty", `{"contents":[]}`, "own"},
		{"blank", `{"contents":" \n"}`, "own"},
		{"an error", "!", "own"},
		{"no answer", "", "own"},
		{"no contents", `{}`, "own"},
		{"a number", `{"contents":5}`, "own"},
		{"another object", `{"contents":{"text":"x"}}`, "own"},
		{"an array", `[1]`, "own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, l, path := languages(t, lendsLanguage, ownLanguage{})
				_, got := asks(p, "textDocument/hover", c.result, func() string {
					s, err := l.Hover(context.Background(), path, text.Position{})
					if err != nil {
						return err.Error()
					}
					return s
				})
				if got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestReferencesOfTheEditorIncludeTheDeclaration(t *testing.T) {
	p, l, path := languages(t, lendsLanguage, ownLanguage{})
	params, _ := asks(p, "textDocument/references", "[]", func() string {
		return words(l.Locations(context.Background(), "references", path, text.Position{}))
	})
	if !strings.Contains(params, `"context":{"includeDeclaration":true}`) {
		t.Errorf("asked %s", params)
	}
}

func TestWhatTheEditorDoesNotLendGoesToTheOwnServers(t *testing.T) {
	for caps, asked := range map[string][]string{
		lendsLanguage: {"implementation", "type_definition", "symbols"},
		"":            {"definition", "references", "implementation", "type_definition", "symbols"},
	} {
		p, l, path := languages(t, caps, ownLanguage{})
		ctx := context.Background()
		for _, what := range asked {
			if got := words(l.Locations(ctx, what, path, text.Position{})); got != "own "+what {
				t.Errorf("%s: %q", what, got)
			}
		}
		_, d, err := l.Diagnostics(ctx, nil, 0)
		a, err2 := l.CodeActions(ctx, path, text.Range{}, nil)
		e, err3 := l.ResolveAction(ctx, path, "1")
		if err := errors.Join(err, err2, err3); err != nil || len(d) != 1 || len(a) != 1 || len(e) != 1 {
			t.Errorf("%v %v %v %v", d, a, e, err)
		}
		p.call("companion/models/list", "")
		for _, m := range p.held {
			if m.Method == "companion/language/request" {
				t.Errorf("sent %s", m.Params)
			}
		}
	}
}

func TestWithoutOwnServersTheEditorsWordCounts(t *testing.T) {
	own := ownLanguage{errors.New("no server")}
	for result, want := range map[string]string{"null": "", "!": "error: no server (the editor's language servers: no)"} {
		p, l, path := languages(t, lendsLanguage, own)
		_, got := asks(p, "textDocument/definition", result, func() string {
			return words(l.Locations(context.Background(), "definition", path, text.Position{}))
		})
		if got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}

func TestDiffsAreShownOnlyWhereTheClientHasNotTheCommands(t *testing.T) {
	for _, c := range []struct {
		flags string
		shown bool
	}{{`{}`, true}, {`{"companion":{"version":1,"commands":true}}`, false}, {`{"companion":{"version":1,"review":true}}`, false}} {
		synctest.Test(t, func(t *testing.T) {
			_, f, _, file := tier1(t, "", "")
			p := serve(t, Options{Build: f.build, StateDir: t.TempDir()})
			p.initialize(`{"window":{"showDocument":{"support":true}},"experimental":`+c.flags+`}`, "")
			m := p.call("workspace/executeCommand", `{"command":"companion.diff","arguments":[{"uri":"`+file+`"}]}`)
			if m.Error != nil || !strings.Contains(string(m.Result), "+B") {
				t.Errorf("%s: %s %+v", c.flags, m.Result, m.Error)
			}
			synctest.Wait()
			p.call("companion/models/list", "")
			shown := slices.ContainsFunc(p.held, func(m message) bool { return m.Method == "window/showDocument" })
			if shown != c.shown {
				t.Errorf("%s: shown is %v", c.flags, shown)
			}
		})
	}
}
