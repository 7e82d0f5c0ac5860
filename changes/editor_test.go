package changes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/text"
	"companion/workspace"
)

// buffers is an editor that does as it is asked.
type buffers struct {
	t  *testing.T
	ws *workspace.Workspace

	mu    sync.Mutex
	texts map[string]string
	vers  map[string]int32
	steps int // edits of the server's: steps of the user's undo
	hold  chan struct{}
}

func newBuffers(b *bench) *buffers {
	e := &buffers{t: b.t, ws: b.ws, texts: map[string]string{}, vers: map[string]int32{}}
	b.ws.SetEditor(e)
	return e
}

func (e *buffers) open(b *bench, name string) (uri string) {
	e.t.Helper()
	f, err := b.ws.Resolve(b.path(name))
	if err != nil {
		e.t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.texts[f.URI], e.vers[f.URI] = b.disk(name), 1
	b.ws.DidOpen(f.URI, "text", 1, e.texts[f.URI])
	return f.URI
}

func (e *buffers) text(uri string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.texts[uri]
}

// set is a change of a buffer; e.mu is held.
func (e *buffers) set(uri, now string) {
	e.texts[uri] = now
	e.vers[uri]++
	if err := e.ws.DidChange(uri, e.vers[uri], []workspace.ContentChange{{Text: now}}, text.UTF16); err != nil {
		e.t.Error(err)
	}
}

// replace is the user typing.
func (e *buffers) replace(uri, old, fresh string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set(uri, strings.Replace(e.texts[uri], old, fresh, 1))
}

func (e *buffers) ApplyEdit(_ context.Context, f workspace.FileEdit) (workspace.EditAnswer, error) {
	if e.hold != nil {
		<-e.hold
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if f.Version == nil || *f.Version != e.vers[f.URI] {
		return workspace.EditAnswer{Why: workspace.VersionMismatch}, nil
	}
	now, err := text.Apply(e.texts[f.URI], f.Edits)
	if err != nil {
		return workspace.EditAnswer{}, err
	}
	e.steps++
	e.set(f.URI, now)
	return workspace.EditAnswer{Applied: true}, nil
}

func TestUndoIsOneEditOfTheBufferAroundWhatTheUserTyped(t *testing.T) {
	// HB-076: what the user added by hand survives.
	b := newBench(t, map[string]string{"a": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t1", "a", "4\n", "four\n")
	e.replace(uri, "3\n", "3\nmine\n")
	b.edit("t2", "a", "5\n", "")
	e.replace(uri, "1\n", "one\n")
	e.steps = 0
	if got := b.undo(Selector{}); got != "undone undone undone" {
		t.Error(got)
	}
	if got := e.text(uri); got != "one\n2\n3\nmine\n4\n5\n" || e.steps != 1 {
		t.Errorf("%q in %d steps", got, e.steps)
	}
	if b.disk("a") != five {
		t.Errorf("the disk holds %q", b.disk("a"))
	}
}

func TestTheEditorsOwnUndoTakesAHunkBackToo(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "2\n", "two\n")
	id := b.pending("a")[0].ID
	e.replace(uri, "two\n", "2\n")
	if h := b.pending("a"); len(h) != 0 {
		t.Errorf("%+v", h)
	}
	if got := b.undo(Selector{}); got != "" {
		t.Error(got)
	}
	b.edit("t1", "a", "3\n", "three\n")
	if got := b.undo(Selector{Hunks: []string{id}}); got != "stale" {
		t.Error(got)
	}
	if got := b.keep(Selector{}); got != "kept" {
		t.Error(got)
	}
}

func TestWhatTheUserTakesBackIsToldOnce(t *testing.T) {
	b := newBench(t, map[string]string{"a": five, "c": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t1", "a", "4\n", "four\n")
	var heard []string
	cancel := b.s.OnChange(func(thread string, paths []string) {
		for _, p := range paths {
			n := 0
			for range b.s.PendingAt(p, text.Range{End: text.Position{Line: 9}}) {
				n++
			}
			heard = append(heard, fmt.Sprint(thread, " ", filepath.Base(p), " ", n))
		}
	})
	t.Cleanup(cancel)
	undone := func() (n int) {
		for _, h := range b.list("")[0].Hunks {
			if h.State == StateUndone {
				n++
			}
		}
		return n
	}
	for _, step := range []struct {
		name, old, fresh string
		told             string
		pending, undone  int
	}{
		{"typing elsewhere", "5\n", "5\nmine\n", "", 2, 0},
		{"typing in a hunk", "two\n", "two!\n", "", 2, 0},
		{"back to the agent's", "two!\n", "two\n", "", 2, 0},
		{"one hunk taken back", "two\n", "2\n", "thread1 a 1", 1, 1},
		{"redo", "2\n", "two\n", "thread1 a 2", 2, 0},
		{"the other", "four\n", "4\n", "thread1 a 1", 1, 1},
		{"both", "two\n", "2\n", "thread1 a 0", 0, 2},
	} {
		heard = nil
		e.replace(uri, step.old, step.fresh)
		if got := strings.Join(heard, ", "); got != step.told || len(b.pending("a")) != step.pending || undone() != step.undone {
			t.Errorf("%s: told %q, %d pending, %d undone", step.name, got, len(b.pending("a")), undone())
		}
	}
	if got := b.s.Newest(); got != "" {
		t.Errorf("%q has nothing pending", got)
	}
	// A change of the thread's own makes it final.
	b.edit("t2", "a", "1\n", "one\n")
	heard = nil
	e.replace(uri, "2\n", "two\n")
	if len(heard) != 0 || len(b.pending("a")) != 1 {
		t.Errorf("told %q: %+v", heard, b.pending("a"))
	}
}

func TestWhatTwoTurnsMadeOfOnePlaceIsTakenBackAtOnce(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t2", "a", "two\n", "zwei\n")
	b.edit("t2", "a", "4\n", "vier\n")
	e.replace(uri, "zwei\n", "2\n")
	if h := b.pending("a"); len(h) != 1 || h[0].NewRange.Start.Line != 3 || h[0].Conflict {
		t.Errorf("%+v", h)
	}
	if got := b.undo(Selector{}); got != "undone" {
		t.Error(got)
	}
	if got := e.text(uri); got != five {
		t.Errorf("%q", got)
	}
}

func TestTypingInAHunkThatIsUndoneMeanwhileIsTold(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t1", "a", "4\n", "four\n")
	told := 0
	t.Cleanup(b.s.OnChange(func(string, []string) { told++ }))
	id := b.pending("a")[0].ID
	e.hold = make(chan struct{})
	var wg conc.WaitGroup
	wg.Go(func() { b.undo(Selector{Hunks: []string{id}}) })
	e.replace(uri, "four\n", "4\n")
	close(e.hold)
	wg.Wait()
	if h := b.pending("a"); len(h) != 0 || told == 0 {
		t.Errorf("told %d times: %+v", told, h)
	}
}

func TestTypingWhileAnUndoIsAsked(t *testing.T) {
	for _, tc := range []struct{ name, old, fresh, outcome, want string }{
		{"elsewhere", "4\n", "four\n", "undone", "1\n2\n3\nfour\n5\n"},
		{"in the hunk", "two\n", "two!\n", "conflict", "1\ntwo!\n3\n4\n5\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"a": five})
			e := newBuffers(b)
			uri := e.open(b, "a")
			b.edit("t1", "a", "2\n", "two\n")
			e.hold = make(chan struct{})
			var wg conc.WaitGroup
			wg.Go(func() {
				if got := b.undo(Selector{}); got != tc.outcome {
					t.Error(got)
				}
			})
			e.replace(uri, tc.old, tc.fresh)
			if h := b.pending("a"); len(h) != 1 { // while the editor does not answer
				t.Errorf("%+v", h)
			}
			close(e.hold)
			wg.Wait()
			if got := e.text(uri); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if h := b.pending("a"); (len(h) == 1) != (tc.outcome == "conflict") {
				t.Errorf("%+v", h)
			}
		})
	}
}

func TestWhenAFileIsClosedItsTextIsTheDisks(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "2\n", "two\n")
	b.ws.DidClose(uri) // not saved
	if h := b.pending("a"); len(h) != 0 {
		t.Errorf("%+v", h)
	}
}

func TestPendingIsQuickInALargeFile(t *testing.T) {
	var lines strings.Builder
	for i := range 10_000 {
		lines.WriteString(strings.Repeat("x", i%40) + "\n")
	}
	b := newBench(t, map[string]string{"a": lines.String() + "two\n"})
	e := newBuffers(b)
	uri := e.open(b, "a")
	b.edit("t1", "a", "two\n", "2\n")
	best := time.Hour
	for range 10 {
		e.replace(uri, "x\n", "x!\n")
		start := time.Now()
		if h := b.pending("a"); len(h) != 1 {
			t.Fatalf("%+v", h)
		}
		best = min(best, time.Since(start))
	}
	if best > 10*time.Millisecond {
		t.Errorf("it takes %v", best)
	}
}

func TestAllAtOnce(t *testing.T) {
	b := newBench(t, map[string]string{"a": five, "c": five})
	e := newBuffers(b)
	uri := e.open(b, "a")
	var wg conc.WaitGroup
	wg.Go(func() {
		for i := range 20 {
			b.edit("t1", "a", []string{"2\n", "two\n"}[i%2], []string{"two\n", "2\n"}[i%2])
		}
	})
	wg.Go(func() {
		for range 20 {
			e.replace(uri, "5\n", "5\nmine\n")
			b.pending("a")
		}
	})
	wg.Go(func() {
		for range 10 {
			b.list("")
			b.s.Newest()
			if err := b.s.Sync("thread1"); err != nil {
				t.Error(err)
			}
			if _, err := b.s.Keep(context.Background(), Selector{Thread: "thread1", Hunks: []string{"h0"}}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if got := e.text(uri); !slices.Contains([]int{20}, strings.Count(got, "mine\n")) {
		t.Errorf("%q", got)
	}
}

func TestARemovedFileThatTheUserMakesAgainIsUndone(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	b.edit("t1", "a", "2\n", "two\n")
	was := b.disk("a")
	b.remove("t2", "a")
	var heard []string
	t.Cleanup(b.s.OnChange(func(thread string, paths []string) { heard = append(heard, thread) }))
	b.user("a", "another\n")
	if h := b.pending("a"); len(h) == 0 || len(heard) != 0 {
		t.Errorf("told %q: %+v", heard, h)
	}
	b.user("a", was)
	if h := b.pending("a"); len(h) != 1 || h[0].Turn != "t1" || h[0].Conflict || len(heard) != 1 {
		t.Errorf("told %q: %+v", heard, h)
	}
	if got := b.undo(Selector{}); got != "undone" || b.disk("a") != five {
		t.Errorf("%s: %q", got, b.disk("a"))
	}
}
