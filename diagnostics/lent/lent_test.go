package lent

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// desk is a workspace with one open document and an editor that a test gives.
type desk struct {
	ws   *workspace.Workspace
	path string
	uri  string
	got  []Query
	src  *Source
}

func newDesk(t *testing.T, ask func(d *desk, ctx context.Context, q Query) ([]Item, error)) *desk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{ws: ws, path: filepath.Join(root, "a.x"), uri: "file://" + filepath.ToSlash(filepath.Join(root, "a.x"))}
	ws.DidOpen(d.uri, "x", 7, "one\ntwo\n")
	d.src = New(ws, func(ctx context.Context, q Query) ([]Item, error) {
		d.got = append(d.got, q)
		return ask(d, ctx, q)
	})
	return d
}

func version(n int32) *int32 { return &n }

func problem1(path string, line int, message string) tools.Diagnostic {
	return tools.Diagnostic{Path: path, Severity: tools.Error, Source: "lint", Message: message, Range: text.Range{Start: text.Position{Line: line}, End: text.Position{Line: line, Character: 3}}}
}

func (d *desk) await(t *testing.T, bound time.Duration) Answer {
	t.Helper()
	own, _ := d.src.Await(t.Context(), Want{Paths: []string{d.path}, Bound: bound, Served: func(string) bool { return true }})
	if len(own) != 1 {
		t.Fatalf("%d answers", len(own))
	}
	return own[0]
}

func TestWhatTheEditorClaimsIsJudged(t *testing.T) {
	for name, c := range map[string]struct {
		item   Item
		status tools.Status
		words  string
	}{
		"fresh, of this version":           {Item{Version: version(7), Freshness: Fresh, Sources: []string{"lint"}}, tools.Complete, "editor's lint, complete, "},
		"settled":                          {Item{Version: version(7), Freshness: Settled, Sources: []string{"lint"}}, tools.Unconfirmed, "unconfirmed"},
		"fresh without a version":          {Item{Freshness: Fresh, Sources: []string{"lint"}}, tools.Unconfirmed, "unconfirmed"},
		"fresh by nobody":                  {Item{Version: version(7), Freshness: Fresh}, tools.Unconfirmed, "editor, unconfirmed"},
		"fresh, of another version":        {Item{Version: version(6), Freshness: Fresh, Sources: []string{"lint"}}, tools.Pending, "of version 6, the text is at 7"},
		"stale":                            {Item{Version: version(7), Freshness: Stale, Sources: []string{"lint"}}, tools.Pending, "older text"},
		"timeout":                          {Item{Freshness: Timeout, Sources: []string{"lint"}}, tools.Pending, "not known yet"},
		"a place that the text has not":    {Item{Version: version(7), Freshness: Fresh, Sources: []string{"lint"}, Diagnostics: []tools.Diagnostic{problem1("", 40, "m")}}, tools.Pending, "line 41 of 3"},
		"a wrong shape":                    {Item{Freshness: Fresh, Wrong: "diagnostic 0 is none"}, tools.Pending, "diagnostic 0 is none"},
		"a source that hides what it says": {Item{Version: version(7), Freshness: Fresh, Sources: []string{"a\u202eb\n"}}, tools.Complete, `editor's a\u202eb`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, func(d *desk, _ context.Context, _ Query) ([]Item, error) {
				c.item.Path = d.path
				return []Item{c.item}, nil
			})
			a := d.await(t, time.Second)
			if a.Status != c.status || !strings.Contains(a.Name, c.words) {
				t.Errorf("%s, %q", a.Status, a.Name)
			}
			if !a.Known() && len(a.Items) > 0 {
				t.Error("what is not of this text is passed on")
			}
			if q := d.got[0]; *q.Files[0].Version != 7 || q.Files[0].URI != d.uri {
				t.Errorf("asked %+v", q.Files[0])
			}
		})
	}
}

func TestAnEditorThatHangsCostsNoMoreThanTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, func(_ *desk, ctx context.Context, _ Query) ([]Item, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		for i, most := range []time.Duration{2 * time.Second, 2 * time.Second, impatient, impatient} {
			start := time.Now()
			a := d.await(t, 2*time.Second)
			if took := time.Since(start); took > most+grace {
				t.Errorf("%d: waited %v", i, took)
			}
			if a.Status != tools.Pending || !strings.Contains(a.Name, "did not answer") {
				t.Errorf("%s %q", a.Status, a.Name)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if own, _ := d.src.Await(ctx, Want{Paths: []string{d.path}, Bound: time.Hour}); own != nil {
			t.Errorf("stopped: %v", own)
		}
	})
}

func TestAnErrorIsToldAndNoOfferRestsTheAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, func(d *desk, _ context.Context, _ Query) ([]Item, error) {
			if len(d.got) > 1 {
				return nil, ErrNotOffered
			}
			return nil, errors.New("wrong\nshape")
		})
		if a := d.await(t, time.Second); a.Status != tools.Pending || !strings.Contains(a.Name, "wrong ⏎ shape") {
			t.Errorf("%s %q", a.Status, a.Name)
		}
		for range 2 {
			if own, _ := d.src.Await(t.Context(), Want{Paths: []string{d.path}, Bound: time.Second}); len(own) != 0 {
				t.Errorf("%v", own)
			}
		}
		if len(d.got) != 2 || d.src.Offered() {
			t.Errorf("asked %d times", len(d.got))
		}
		time.Sleep(rest + time.Second) // a server may have started in the editor
		if !d.src.Offered() {
			t.Error("the editor is never asked again")
		}
	})
}

func TestAFileThatChangesMeanwhileIsAskedAboutOnceMore(t *testing.T) {
	for name, typing := range map[string]int{"once": 1, "always": 9} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, func(d *desk, _ context.Context, q Query) ([]Item, error) {
				v := *q.Files[0].Version
				if len(d.got) <= typing {
					if err := d.ws.DidChange(d.uri, v+1, []workspace.ContentChange{{Text: strings.Repeat("x\n", len(d.got))}}, text.UTF16); err != nil {
						return nil, err
					}
				}
				return []Item{{Path: d.path, Version: &v, Freshness: Fresh, Sources: []string{"lint"}}}, nil
			})
			a := d.await(t, time.Minute)
			if want := map[string]tools.Status{"once": tools.Complete, "always": tools.Pending}[name]; a.Status != want || len(d.got) != 2 {
				t.Errorf("%s after %d questions: %s", a.Status, len(d.got), a.Name)
			}
		})
	}
}

func TestWhatAnEditCausedIsToldFromWhatWasThere(t *testing.T) {
	d := newDesk(t, func(d *desk, _ context.Context, q Query) ([]Item, error) {
		items := []tools.Diagnostic{problem1(d.path, 0, "old")}
		if len(d.got) > 1 {
			items = append(items, problem1(d.path, 1, "new"), problem1(d.path, 1, "ours too"))
		}
		return []Item{{Path: d.path, Version: q.Files[0].Version, Freshness: Fresh, Sources: []string{"lint"}, Diagnostics: items}}, nil
	})
	d.await(t, 0)
	if err := d.ws.DidChange(d.uri, 8, []workspace.ContentChange{{Text: "one\n2\n"}}, text.UTF16); err != nil {
		t.Fatal(err)
	}
	// What is asked on the new text before the step's own question is no baseline.
	d.await(t, 0)
	told := &Told{Own: []Answer{d.await(t, time.Second)}}
	ours := problem1(d.path, 1, "ours too")
	ours.Server, ours.Range.End.Character = "own", 1
	a, ok := told.Of(d.path, []tools.Diagnostic{ours})
	if got := Compare(a, []tools.Diagnostic{ours}, nil); !ok || len(got.Fresh) != 1 || got.Fresh[0].Message != "new" || got.Remaining != 1 || len(got.Fixed) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestKindsOfFilesThatNobodyChecksCostLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, func(d *desk, _ context.Context, q Query) ([]Item, error) {
			time.Sleep(q.Timeout)
			return []Item{{Path: d.path, Freshness: Timeout}}, nil
		})
		for i := range 4 {
			start := time.Now()
			own, _ := d.src.Await(t.Context(), Want{Paths: []string{d.path}, Bound: 2 * time.Second})
			if own[0].Status != tools.NoServer {
				t.Errorf("%s", own[0].Status)
			}
			if took := time.Since(start); i >= spent && took > impatient {
				t.Errorf("%d: %v", i, took)
			}
		}
	})
}

func TestTheEditorsSilenceTakesNothingFromOurs(t *testing.T) {
	for _, c := range []struct{ own, editor, want tools.Status }{
		{tools.Complete, tools.Complete, tools.Complete},
		{tools.Complete, tools.Pending, tools.Partial},
		{tools.Pending, tools.Complete, tools.Partial},
		{tools.Pending, tools.Pending, tools.Pending},
		{tools.ServerDown, tools.Unconfirmed, tools.Unconfirmed},
		{tools.ServerDown, tools.Pending, tools.ServerDown},
		{"", tools.Pending, tools.Pending},
		{tools.Unconfirmed, tools.NoServer, tools.Unconfirmed},
	} {
		if got := Joined(c.own, c.editor); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.own, c.editor, got, c.want)
		}
	}
}
