package diagnostics

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/diagnostics/ask"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/lsptest"
	"companion/text"
	"companion/tools"
)

// result answers a method with fixed JSON in which $DIR is the project's URI.
func result(raw string) func(*lsptest.Session, json.RawMessage) (any, error) {
	return func(_ *lsptest.Session, params json.RawMessage) (any, error) {
		var p struct {
			TextDocument struct {
				URI string `json:"uri"`
			} `json:"textDocument"`
		}
		_ = json.Unmarshal(params, &p)
		dir := p.TextDocument.URI
		if i := strings.LastIndexByte(dir, '/'); i >= 0 {
			dir = dir[:i]
		}
		return json.RawMessage(strings.ReplaceAll(raw, "$DIR", dir)), nil
	}
}

// HB-005
func TestAFileCreatedByOthersReachesAServerThatWatches(t *testing.T) {
	fake(t, lsptest.Options{Watch: []string{"**/*.fk"}}, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk")
		synctest.Wait()
		if err := os.WriteFile(r.at("b.fk"), []byte("DEF Foo\n"), 0o644); err != nil {
			r.Fatal(err)
		}
		r.ws.DiskChanged(r.at("b.fk"))
		got, err := ask.Locations(r.Context(), r.s.clients(r.at("a.fk"))[0], "workspace_symbols", r.at("a.fk"), text.Position{}, "Foo")
		if err != nil || len(got) != 1 || got[0].Path != r.at("b.fk") {
			r.Fatalf("%+v %v", got, err)
		}
		if log := r.srv.Log("workspace/didChangeWatchedFiles"); len(log) != 1 {
			r.Fatalf("%+v", log)
		}
	})
}

// HB-015
func TestARangeOutsideTheTextIsClamped(t *testing.T) {
	extra := []json.RawMessage{
		json.RawMessage(`{"range":{"start":{"line":0,"character":7},"end":{"line":0,"character":9}},"message":"past the line"}`),
		json.RawMessage(`{"range":{"start":{"line":50,"character":0},"end":{"line":50,"character":1}},"message":"past the file"}`),
		json.RawMessage(`{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":0}},"message":"reversed"}`),
		json.RawMessage(`{"range":{"start":{"line":-1,"character":-5},"end":{"line":4294967295,"character":4294967295}},"message":"negative"}`),
		json.RawMessage(`{"range":"nonsense"}`),
	}
	fake(t, lsptest.Options{Extra: extra}, versioned, Bounds{}, map[string]string{"a.fk": "abc\ndef\nghi"}, func(r *rig) {
		rep, items := r.ask("a.fk")
		if len(items) != 4 {
			r.Fatalf("%+v", items)
		}
		want := map[string]text.Range{
			"past the line": {Start: text.Position{Line: 0, Character: 3}, End: text.Position{Line: 0, Character: 3}},
			"past the file": {Start: text.Position{Line: 2, Character: 3}, End: text.Position{Line: 2, Character: 3}},
			"reversed":      {Start: text.Position{Line: 1, Character: 2}, End: text.Position{Line: 1, Character: 2}},
			"negative":      {End: text.Position{Line: 2, Character: 3}},
		}
		for _, d := range items {
			if d.Range != want[d.Message] {
				r.Errorf("%s: %+v", d.Message, d.Range)
			}
		}
		r.contains(rep.Text, "a.fk:1:4: error: past the line")
	})
}

func action(edit string) lsptest.Options {
	return lsptest.Options{Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/codeAction": result(`[{"title":"Do it","kind":"quickfix","edit":` + edit + `}]`),
	}}
}

// HB-016, HB-064
func TestAnEditThatCannotBeTrustedIsRejectedWhole(t *testing.T) {
	for name, c := range map[string]struct{ edit, says string }{
		"a range that starts after its end": {`{"changes":{"$DIR/a.fk":[{"range":{"start":{"line":5,"character":0},"end":{"line":2,"character":0}},"newText":"x"}]}}`, "6:1-3:1"},
		"overlapping edits":                 {`{"changes":{"$DIR/a.fk":[{"range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"newText":"x"},{"range":{"start":{"line":1,"character":0},"end":{"line":3,"character":0}},"newText":"y"}]}}`, "overlaps"},
		"an older version":                  {`{"documentChanges":[{"textDocument":{"uri":"$DIR/a.fk","version":0},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"newText":"x"}]}]}`, "version 0"},
		"reversed in a file that is closed": {`{"changes":{"$DIR/b.fk":[{"range":{"start":{"line":5,"character":0},"end":{"line":2,"character":0}},"newText":"x"}]}}`, "6:1-3:1"},
		"no file":                           {`{"changes":{"untitled:x":[]}}`, "untitled:x"},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, action(c.edit), versioned, Bounds{}, map[string]string{"a.fk": strings.Repeat("text\n", 10)}, func(r *rig) {
				r.ask("a.fk")
				got, err := r.s.CodeActions(r.Context(), r.at("a.fk"), text.Range{}, nil)
				if err != nil || len(got) != 1 {
					r.Fatalf("%+v %v", got, err)
				}
				edits, err := r.s.ResolveAction(r.Context(), r.at("a.fk"), "1")
				if err == nil || len(edits) > 0 || !strings.Contains(err.Error(), c.says) {
					r.Fatalf("%+v %v", edits, err)
				}
			})
		})
	}
}

func TestACodeActionIsOfferedResolvedAndGoneAfterAnEdit(t *testing.T) {
	fake(t, lsptest.Options{}, versioned, Bounds{}, map[string]string{"a.fk": "one\nso BAD\n"}, func(r *rig) {
		_, items := r.ask("a.fk")
		got, err := r.s.CodeActions(r.Context(), r.at("a.fk"), items[0].Range, []string{"quickfix"})
		if err != nil || len(got) != 1 || !got[0].Preferred || got[0].ID != "1" || got[0].Fixes[0] != "BAD is not good" {
			r.Fatalf("%+v %v", got, err)
		}
		edits, err := r.s.ResolveAction(r.Context(), r.at("a.fk"), "1")
		if err != nil || len(edits) != 1 || edits[0].Path != r.at("a.fk") || edits[0].Edits[0].New != "OK" {
			r.Fatalf("%+v %v", edits, err)
		}
		if none, err := r.s.CodeActions(r.Context(), r.at("a.fk"), items[0].Range, []string{"source"}); err != nil || len(none) != 0 {
			r.Fatalf("%+v %v", none, err)
		}
		if _, err := r.s.CodeActions(r.Context(), r.at("a.fk"), items[0].Range, nil); err != nil {
			r.Fatal(err)
		}
		r.edit("a.fk", "one\nso BAD again\n")
		if _, err := r.s.ResolveAction(r.Context(), r.at("a.fk"), "1"); !errors.Is(err, ask.ErrStaleAction) {
			r.Fatalf("%v", err)
		}
	})
}

func TestAnActionThatIsACommandHasItsEditCaptured(t *testing.T) {
	o := lsptest.Options{}
	var refused json.RawMessage
	o.Answers = map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/codeAction": result(`[{"title":"Run it","command":"do","arguments":["$DIR/a.fk"]}]`),
		"workspace/executeCommand": func(s *lsptest.Session, params json.RawMessage) (any, error) {
			var p struct{ Arguments []string }
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			return s.Call(context.Background(), "workspace/applyEdit", map[string]any{"edit": map[string]any{"changes": map[string]any{
				p.Arguments[0]: []any{map[string]any{"range": lsptest.Range{}, "newText": "new\n"}},
			}}})
		},
	}
	fake(t, o, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk")
		if _, err := r.s.CodeActions(r.Context(), r.at("a.fk"), text.Range{}, nil); err != nil {
			r.Fatal(err)
		}
		edits, err := r.s.ResolveAction(r.Context(), r.at("a.fk"), "1")
		if err != nil || len(edits) != 1 || edits[0].Edits[0].New != "new\n" {
			r.Fatalf("%+v %v", edits, err)
		}
		// By itself a server may not edit.
		refused, err = r.srv.Last().Call(r.Context(), "workspace/applyEdit", map[string]any{"edit": map[string]any{}})
		if err != nil || !strings.Contains(string(refused), `"applied":false`) {
			r.Fatalf("%s %v", refused, err)
		}
	})
}

// HB-024, HB-025
func TestColumnsAreUTF16OnBothSides(t *testing.T) {
	var asked json.RawMessage
	o := lsptest.Options{Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/definition": func(s *lsptest.Session, params json.RawMessage) (any, error) {
			asked = params
			return result(`{"uri":"$DIR/b.fk","range":{"start":{"line":0,"character":7},"end":{"line":0,"character":10}}}`)(s, params)
		},
	}}
	fake(t, o, versioned, Bounds{}, map[string]string{"a.fk": "x = \"😀\"; foo\n", "b.fk": "/*🎉*/ def\n"}, func(r *rig) {
		src := "x = \"😀\"; foo\n"
		pos := text.NewIndex(src).Position(strings.Index(src, "foo"), text.UTF16)
		got, err := r.s.Locations(r.Context(), "definition", r.at("a.fk"), pos)
		if err != nil || len(got) != 1 || got[0].Path != r.at("b.fk") || got[0].Name != "def" {
			r.Fatalf("%+v %v", got, err)
		}
		if !strings.Contains(string(asked), `"character":10`) {
			r.Fatalf("asked %s", asked)
		}
	})
}

// HB-044
func TestAKilledServerFailsWhatIsPendingAndGetsAllDocumentsAgain(t *testing.T) {
	o := lsptest.Options{Answers: map[string]func(*lsptest.Session, json.RawMessage) (any, error){
		"textDocument/hover": func(s *lsptest.Session, _ json.RawMessage) (any, error) {
			<-s.Context().Done()
			return nil, nil
		},
	}}
	fake(t, o, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n", "b.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk", "b.fk")
		failed := make(chan error, 1)
		r.s.wg.Go(func() {
			_, err := r.s.Hover(context.Background(), r.at("a.fk"), text.Position{})
			failed <- err
		})
		synctest.Wait()
		r.srv.Last().Die()
		write(r.T, r.ws, r.at("a.fk"), "BAD\nBAD\n") // didChange into the broken pipe
		if err := <-failed; !errors.Is(err, lspclient.ErrDown) {
			r.Fatalf("hover: %v", err)
		}
		settle(time.Second)
		if n := r.srv.Sessions(); n != 2 {
			r.Fatalf("%d sessions", n)
		}
		if a, b := r.srv.Last().Text(r.at("a.fk")), r.srv.Last().Text(r.at("b.fk")); a != "BAD\nBAD\n" || b != "x\n" {
			r.Fatalf("reopened as %q and %q", a, b)
		}
		if rep, items := r.ask("a.fk"); rep.Status != tools.Complete || len(items) != 2 {
			r.Fatalf("%+v %v", rep, items)
		}
	})
}

func TestPullingServersAreAsked(t *testing.T) {
	pull := lspclient.Profile{Pull: true, Own: 20 * ms}
	late := lspclient.Profile{Pull: true, Registers: true, Own: 20 * ms}
	for name, c := range map[string]struct {
		o      lsptest.Options
		p      lspclient.Profile
		status tools.Status
	}{
		"static, no pushes":           {lsptest.Options{Pull: lsptest.StaticPull, Silent: true, Debounce: 40 * ms}, pull, tools.Complete},
		"registered after 500 ms":     {lsptest.Options{Pull: lsptest.DynamicPull, Silent: true, RegisterAfter: 500 * ms, Identifier: "id"}, late, tools.Complete},
		"never registered but pushes": {lsptest.Options{}, late, tools.Complete},
		"never answers but pushes":    {lsptest.Options{Pull: lsptest.NeverAnswers, Debounce: 10 * ms}, pull, tools.Complete},
		"never answers, never pushes": {lsptest.Options{Pull: lsptest.NeverAnswers, Silent: true}, pull, tools.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, c.o, c.p, Bounds{Query: 3 * time.Second, Cold: 3 * time.Second}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
				rep, items := r.ask("a.fk")
				if rep.Status != c.status || c.status == tools.Complete && len(items) != 1 {
					r.Fatalf("%+v %v", rep, items)
				}
				res := r.edit("a.fk", "fine\n")
				if res.Report.Status != c.status || c.status == tools.Complete && len(res.Report.Fixed) != 1 {
					r.Fatalf("%+v\n%s", res.Report, res.Text)
				}
			})
		})
	}
}

func TestAServerWithoutVersionsIsNeverCalledComplete(t *testing.T) {
	fake(t, lsptest.Options{NoVersion: true, Debounce: 30 * ms}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		r.ask("a.fk")
		res := r.edit("a.fk", "fine\n")
		r.want(res, tools.Unconfirmed, 0, 1, 0)
		res = r.edit("a.fk", "finer\n")
		r.want(res, tools.Unconfirmed, 0, 0, 0)
		r.contains(res.Text, "no problems told, but the server does not say for which text")
	})
	fake(t, lsptest.Options{NoVersion: true, SilentUnchanged: true}, versioned, Bounds{}, map[string]string{"a.fk": "fine\n"}, func(r *rig) {
		r.ask("a.fk")
		start := time.Now()
		res := r.edit("a.fk", "finer\n")
		r.want(res, tools.Unconfirmed, 0, 0, 0)
		r.contains(res.Text, "told nothing of this text")
		if took := time.Since(start); took > time.Second {
			r.Fatalf("silence took %s", took)
		}
	})
}

func TestWhatComesLateIsToldOnceWithTheNextResult(t *testing.T) {
	fake(t, lsptest.Options{TwoPhase: 2 * time.Second}, versioned, Bounds{}, map[string]string{"a.fk": "x\n", "b.fk": "NEED f\nDEF f\n", "c.fk": "c\n"}, func(r *rig) {
		r.ask("a.fk", "b.fk", "c.fk")
		settle(5 * time.Second)
		r.edit("b.fk", "NEED f\n")
		settle(5 * time.Second)
		res := r.edit("c.fk", "cc\n")
		r.contains(res.Text, "New since the last result, by an earlier edit or another program:\nb.fk:1:1: error: undefined: f [lsptest]")
		settle(5 * time.Second)
		res = r.edit("c.fk", "ccc\n")
		if strings.Contains(res.Text, "New since") {
			r.Fatalf("told twice:\n%s", res.Text)
		}
	})
}

func TestATurnDoesNotEndBeforePendingErrorsAreHeard(t *testing.T) {
	fake(t, lsptest.Options{Debounce: 1500 * ms}, versioned, Bounds{Hard: time.Second}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk")
		res := r.edit("a.fk", "BAD\n")
		r.want(res, tools.Pending, 0, 0, 0)
		got := r.s.AfterTurn(r.Context(), "t1")
		r.contains(got, "1 new error", "a.fk:1:1: error: BAD is not good [lsptest]")
		if again := r.s.AfterTurn(r.Context(), "t1"); again != "" {
			r.Fatalf("told twice: %s", again)
		}
	})
}

func TestOpenBuffersAreTheTextThatServersSee(t *testing.T) {
	fake(t, lsptest.Options{}, versioned, Bounds{}, map[string]string{"a.fk": "on disk\n"}, func(r *rig) {
		var heard []string
		cancel := r.s.OnChange(func(path string) { heard = append(heard, path) })
		id := "file://" + r.at("a.fk")
		r.ws.DidOpen(id, "fk", 1, "BAD in the buffer\n")
		settle(time.Second)
		items, fresh := r.s.Known(r.at("a.fk"))
		if !fresh || len(items) != 1 || len(heard) != 1 || heard[0] != r.at("a.fk") {
			r.Fatalf("%v %v %v", items, fresh, heard)
		}
		cancel()
		r.ws.DidClose(id)
		settle(time.Second)
		if log := r.srv.Log("textDocument/didClose"); len(log) != 1 || len(heard) != 1 {
			r.Fatalf("%+v %v", log, heard)
		}
	})
}

func TestRestartStartsABrokenServerAgain(t *testing.T) {
	o := lsptest.Options{DieOnOpen: true}
	fake(t, o, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		r.s.Open(r.at("a.fk"))
		settle(20 * time.Second)
		if st := r.s.Status(); st[0].State != Broken || r.srv.Sessions() != 4 {
			r.Fatalf("%+v", st)
		}
		if got := r.s.Restart("fake"); !slices.Equal(got, []string{"fake"}) {
			r.Fatalf("%v", got)
		}
		settle(100 * ms)
		if n := r.srv.Sessions(); n != 5 {
			r.Fatalf("%d sessions", n)
		}
	})
}

// As gopls 0.23 does when a change interrupts it.
func TestAnEmptyPublishBesideAPullIsNotTakenForClean(t *testing.T) {
	pull := lspclient.Profile{Pull: true, Publishes: true, Own: 20 * ms, Burst: 20 * ms}
	fake(t, lsptest.Options{Pull: lsptest.StaticPull, TwoPhase: 150 * ms, Debounce: 20 * ms}, pull, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		r.ask("a.fk")
		settle(time.Second)
		for i := range 5 {
			r.edit("a.fk", "fine\n")
			res := r.edit("a.fk", "BAD "+strings.Repeat("again ", i)+"\n")
			r.want(res, tools.Complete, 1, 0, 0)
			if items, _ := r.s.Known(r.at("a.fk")); len(items) != 1 {
				r.Fatalf("known: %v", items)
			}
		}
	})
}
