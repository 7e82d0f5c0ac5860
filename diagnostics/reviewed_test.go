package diagnostics

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/lsptest"
	"companion/text"
	"companion/tools"
)

func TestServersGoplsThatHasNoPackageOfAFileIsNotTakenForClean(t *testing.T) {
	need(t, "gopls")
	const unused = "package main\n\nfunc main() { x := 1 }\n"
	ws, at := project(t, map[string]string{"go.mod": "module x\n\ngo 1.24\nsyntax error here\n", "m.go": unused})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	for range 2 { // the second answer is from what is known
		rep, items, err := s.Diagnostics(t.Context(), []string{at("m.go")}, tools.Warning)
		if err != nil || rep.Status != tools.Pending || rep.Checked != 0 || len(items) != 1 {
			t.Fatalf("%+v %v %v", rep, items, err)
		}
		if !strings.Contains(rep.Text, "gopls cannot judge this file: initialization failed") || !strings.Contains(rep.Text, "unknown directive: syntax") {
			t.Fatal(rep.Text)
		}
	}
	r := step(t, s, at("m.go"), unused+"\n")
	if r.Report.Status != tools.Pending || len(r.Report.Fixed) != 0 ||
		!strings.Contains(r.Text, "unknown directive: syntax): problems of this text are not known yet.") {
		t.Fatalf("%+v\n%s", r.Report, r.Text)
	}
	step(t, s, at("go.mod"), "module x\n\ngo 1.24\n")
	rep, items, err := s.Diagnostics(t.Context(), []string{at("m.go")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 1 || items[0].Code != "UnusedVar" {
		t.Fatalf("after the repair of go.mod: %+v %v %v", rep, items, err)
	}
}

func TestARefusalWithoutWordsIsTheReasonItself(t *testing.T) {
	o := lsptest.Options{Pull: lsptest.StaticPull, Silent: true, Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/diagnostic": func(*lsptest.Session, json.RawMessage) (any, error) { return nil, errors.New("no views\x1b[2J") },
	}}
	pull := lspclient.Profile{Pull: true, Publishes: true, Packaged: "fk"}
	fake(t, o, pull, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		start := time.Now()
		rep, _ := r.ask("a.fk")
		if took := time.Since(start); rep.Status != tools.Pending || took > 1100*ms {
			r.Fatalf("%+v after %s", rep, took)
		}
		r.contains(rep.Text, "fake cannot judge this file", "no views␛[2J")
	})
}

func TestAnAnswerThatIsNoReportIsNotTakenForClean(t *testing.T) {
	for _, answer := range []string{`{"kind":"unchanged"}`, `{"kind":"unchanged","resultId":"7"}`, `null`, `{}`, `{"kind":"full"}`, `[]`, `5`} {
		o := lsptest.Options{Pull: lsptest.StaticPull, Silent: true, Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
			"textDocument/diagnostic": result(answer),
		}}
		fake(t, o, lspclient.Profile{Pull: true}, Bounds{Query: time.Second}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
			if rep, _ := r.ask("a.fk"); rep.Status != tools.Pending {
				r.Fatalf("%s: %s", answer, rep.Text)
			}
		})
	}
}

func TestAnUnchangedReportKeepsTheOneThatWasNamed(t *testing.T) {
	asked := 0
	o := lsptest.Options{Pull: lsptest.StaticPull, Silent: true, Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/diagnostic": func(s *lsptest.Session, params json.RawMessage) (any, error) {
			asked++
			if strings.Contains(string(params), `"previousResultId":"1"`) {
				return result(`{"kind":"unchanged","resultId":"1"}`)(s, params)
			}
			return result(`{"kind":"full","resultId":"1","items":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"m"}]}`)(s, params)
		},
	}}
	fake(t, o, lspclient.Profile{Pull: true}, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk")
		r.want(r.edit("a.fk", "x \n"), tools.Complete, 0, 0, 1)
		if asked != 2 {
			r.Fatalf("asked %d times", asked)
		}
	})
}

func TestATurnDoesNotWaitForAServerThatNeverAnswered(t *testing.T) {
	fake(t, lsptest.Options{Silent: true}, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.want(r.edit("a.fk", "y\n"), tools.Pending, 0, 0, 0)
		start := time.Now()
		if got := r.s.AfterTurn(r.Context(), "t1"); got != "" || time.Since(start) > 0 {
			r.Fatalf("%q after %s", got, time.Since(start))
		}
	})
}

func TestWhatAServerTellsActsOnNoTerminal(t *testing.T) {
	one := json.RawMessage(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":1,` +
		`"code":"c\u001b[1m","source":"s\nt","message":"a\u001b[2J\u0007\u009b\u007f\u202eb\n\tc"}`)
	fake(t, lsptest.Options{Extra: []json.RawMessage{one}}, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		rep, items := r.ask("a.fk")
		r.contains(rep.Text, `a.fk:1:1: error: a␛[2J␇\u009b␡\u202eb ⏎ `+"\tc [s ⏎ t c␛[1m]")
		if string(items[0].Raw) != string(one) {
			r.Fatalf("the server gets back %s", items[0].Raw)
		}
	})
}

func TestActionsThatCanBeAppliedComeFirst(t *testing.T) {
	o := lsptest.Options{Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/codeAction": result(`[{"title":"a","disabled":{"reason":"no"}},{"title":"b"},{"title":"c","disabled":{"reason":"no"}},{"title":"d"}]`),
	}}
	fake(t, o, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk")
		got, err := r.s.CodeActions(r.Context(), r.at("a.fk"), text.Range{}, nil)
		var titles []string
		for i, a := range got {
			titles = append(titles, a.Title+a.ID)
			if i != len(titles)-1 {
				r.Fatal(a)
			}
		}
		if err != nil || !slices.Equal(titles, []string{"b1", "d2", "a3", "c4"}) {
			r.Fatalf("%v %v", titles, err)
		}
	})
}

func TestServersTypeScriptAllOfAKindAreFixed(t *testing.T) {
	need(t, "typescript-language-server")
	ws, at := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true,"module":"esnext","target":"es2022","types":[]}}`,
		"a.ts":          "export const z = reduce(1)\nawait foo();\n",
	})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	for range 3 { // a busy machine needs more than one wait for tsserver to start
		rep, items, err := s.Diagnostics(t.Context(), []string{at("a.ts")}, tools.Error)
		if err != nil || rep.Status == tools.Complete && len(items) != 2 {
			t.Fatalf("%+v %v %v", rep, items, err)
		}
		if rep.Status == tools.Complete {
			break
		}
	}
	line := text.Range{End: text.Position{Line: 0, Character: 26}}
	actions, err := s.CodeActions(t.Context(), at("a.ts"), line, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, a := range actions {
		if a.Title != "Add all missing function declarations" {
			continue
		}
		found++
		edits, err := s.ResolveAction(t.Context(), at("a.ts"), a.ID)
		if err != nil || len(edits) != 1 || len(edits[0].Edits) != 2 {
			t.Fatalf("%+v %v", edits, err)
		}
	}
	if found != 1 {
		t.Fatalf("offered %d times: %+v", found, actions)
	}
}
