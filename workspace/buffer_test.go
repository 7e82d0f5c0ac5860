package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"companion/text"
	"companion/workspace/mirror"
)

func modify(s Snapshot, after string) Change {
	return Change{Kind: Modify, Path: s.Path, Base: s.Hash, Before: s.Text, After: after}
}

func apply(w *Workspace, changes ...Change) ([]Applied, error) {
	return w.Apply(context.Background(), "test", changes)
}

func TestAnOpenFileIsChangedInItsBuffer(t *testing.T) {
	// HB-070: the disk is older than what the user typed.
	w, dir := newAt(t, map[string]string{"a.fk": "one\ntwo\n"})
	ed := newEditor(t, w)
	uri := ed.open("a.fk", "one\ntwo\n")
	ed.typeText(uri, 3, " MINE")
	now := read(t, w, "a.fk")
	if !now.Open || !now.Dirty || now.Text != "one MINE\ntwo\n" || *now.Version != 2 || now.Lang != "fake" {
		t.Fatalf("%+v", now)
	}
	got, err := apply(w, modify(now, "one MINE\nTWO\n"))
	if err != nil {
		t.Fatal(err)
	}
	if ed.text(uri) != "one MINE\nTWO\n" || onDisk(t, filepath.Join(dir, "a.fk")) != "one\ntwo\n" {
		t.Errorf("buffer %q", ed.text(uri))
	}
	a := got[0]
	if !a.Buffer || a.Saved || *a.Version != 3 || a.After != "one MINE\nTWO\n" || a.Hash != mirror.Hash(a.After) {
		t.Errorf("%+v", a)
	}
	r := ed.requests()[0]
	if *r.Version != 2 || r.Save || r.Label != "test" || len(r.Edits) != 1 || r.Edits[0] != (text.Edit{Start: 9, End: 13, New: "TWO\n"}) {
		t.Errorf("%+v", r)
	}
}

func TestACleanBufferIsToBeSaved(t *testing.T) {
	w, _ := newAt(t, map[string]string{"a": "x\r\ny\n"})
	ed := newEditor(t, w)
	ed.open("a", "x\ny\n") // an editor that shows one ending only
	now := read(t, w, "a")
	if now.Dirty {
		t.Error("endings alone make it dirty")
	}
	if _, err := apply(w, modify(now, "X\ny\n")); err != nil || !ed.requests()[0].Save {
		t.Errorf("%v, %+v", err, ed.requests())
	}
}

// TestWhatEditorsSay has one row for each way in which an editor answers.
func TestWhatEditorsSay(t *testing.T) {
	const before, after = "kiwi\nplum\n", "kiwi\nPLUM\n"
	for _, tc := range []struct {
		name  string
		setup func(ed *fakeEditor)
		want  error
		left  bool
		asked int
		in    string        // what the buffer holds at the end
		said  string        // part of the error
		took  time.Duration // at least
	}{
		{"good", func(*fakeEditor) {}, nil, false, 1, after, "", 0},
		{"one didChange for each edit", func(ed *fakeEditor) { ed.piecewise = true }, nil, false, 1, after, "", 0},
		{"utf-8", func(ed *fakeEditor) { ed.enc = text.UTF8 }, nil, false, 1, after, "", 0},
		{"a format hook follows", func(ed *fakeEditor) {
			ed.after = func(uri string) {
				ed.change(uri, ed.buffer(uri), []text.Edit{{Start: 0, End: 4, New: "KIWI"}})
			}
		}, nil, false, 1, "KIWI\nPLUM\n", "", 0},
		{"HB-063 applied, but another text", func(ed *fakeEditor) {
			ed.before = func(e FileEdit) (EditAnswer, bool) {
				ed.typeText(e.URI, 4, "!")
				b := ed.buffer(e.URI)
				ed.change(e.URI, b, []text.Edit{{Start: 6, End: 11, New: "PLUM\n"}})
				return EditAnswer{Applied: true}, true
			}
		}, ErrNotApplied, true, 1, "kiwi!\nPLUM\n", `line 1 of the buffer is "kiwi!\n"`, 2 * time.Second},
		{"lies and does nothing", func(ed *fakeEditor) {
			ed.before = func(FileEdit) (EditAnswer, bool) { return EditAnswer{Applied: true}, true }
		}, ErrNotApplied, false, 1, before, "sent no change within 2s", 2 * time.Second},
		{"lies and closes the file", func(ed *fakeEditor) {
			ed.before = func(e FileEdit) (EditAnswer, bool) {
				ed.w.DidClose(e.URI)
				return EditAnswer{Applied: true}, true
			}
		}, ErrNotApplied, false, 1, before, "closed", 2 * time.Second},
		{"HB-065 rejects without a reason", func(ed *fakeEditor) {
			ed.before = func(FileEdit) (EditAnswer, bool) { return EditAnswer{}, true }
		}, ErrRejected, false, 2, before, "refused", 0},
		{"HB-065 rejects with a reason", func(ed *fakeEditor) {
			ed.before = func(FileEdit) (EditAnswer, bool) { return EditAnswer{Reason: "read-only buffer"}, true }
		}, ErrRejected, false, 2, before, "read-only buffer", 0},
		{"says no, but did it", func(ed *fakeEditor) {
			ed.before = func(e FileEdit) (EditAnswer, bool) {
				ed.change(e.URI, ed.buffer(e.URI), e.Edits)
				return EditAnswer{}, true
			}
		}, nil, false, 1, after, "", 0},
		{"HB-063 the user typed before the answer", func(ed *fakeEditor) {
			ed.before = func(e FileEdit) (EditAnswer, bool) { ed.typeText(e.URI, 0, "\n"); return EditAnswer{}, false }
		}, ErrStale, false, 1, "\n" + before, "changed", 0},
		{"the user typed and took it back", func(ed *fakeEditor) {
			once := false
			ed.before = func(e FileEdit) (EditAnswer, bool) {
				if !once {
					once = true
					b := ed.buffer(e.URI)
					ed.typeText(e.URI, 0, "x")
					ed.change(e.URI, b, []text.Edit{{Start: 0, End: 1}})
				}
				return EditAnswer{}, false
			}
		}, nil, false, 2, after, "", 0},
		{"the user closed it", func(ed *fakeEditor) {
			ed.before = func(e FileEdit) (EditAnswer, bool) { ed.w.DidClose(e.URI); return EditAnswer{}, true }
		}, ErrStale, false, 1, before, "closed", 0},
		{"slow", func(ed *fakeEditor) {
			ed.before = func(FileEdit) (EditAnswer, bool) { time.Sleep(4 * time.Minute); return EditAnswer{}, false }
		}, nil, false, 1, after, "", 4 * time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, dir := newAt(t, map[string]string{"a": before})
				ed := newEditor(t, w)
				uri := ed.open("a", before)
				tc.setup(ed)
				start := time.Now()
				got, err := apply(w, modify(read(t, w, "a"), after))
				if took := time.Since(start); took < tc.took || took > tc.took+time.Second {
					t.Errorf("took %v", took)
				}
				if ed.text(uri) != tc.in || len(ed.requests()) != tc.asked || onDisk(t, filepath.Join(dir, "a")) != before {
					t.Errorf("buffer %q after %d requests", ed.text(uri), len(ed.requests()))
				}
				for i, r := range ed.requests() {
					if r.Version == nil {
						t.Errorf("request %d without a version", i)
					}
				}
				if tc.want == nil {
					if err != nil || got[0].After != after {
						t.Errorf("%+v, %v", got, err)
					}
					return
				}
				var e *ApplyError
				if !errors.Is(err, tc.want) || !errors.As(err, &e) || (len(e.Left) > 0) != tc.left || !strings.Contains(err.Error(), tc.said) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func TestAnEditOfEndingsAloneMustLandExactly(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"the last one", "a\nb\n", "a\nb"},
		{"crlf to lf", "a\r\nb\r\n", "a\nb\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, _ := newAt(t, map[string]string{"a": tc.before})
			ed := newEditor(t, w)
			uri := ed.open("a", tc.before)
			ed.before = func(FileEdit) (EditAnswer, bool) {
				ed.didChange(uri, 2, nil)
				ed.didChange(uri, 3, []ContentChange{{Text: tc.before}})
				return EditAnswer{Applied: true}, true
			}
			if _, err := apply(w, modify(read(t, w, "a"), tc.after)); !errors.Is(err, ErrNotApplied) {
				t.Errorf("%s: %v", tc.name, err)
			}
			ed.before = nil
			ed.buffer(uri).version = 3
			if got, err := apply(w, modify(read(t, w, "a"), tc.after)); err != nil || got[0].After != tc.after {
				t.Errorf("%s: %v", tc.name, err)
			}
		})
	}
}

func TestAnEditorThatForcesEndingsHasMadeTheEdit(t *testing.T) {
	w, _ := newAt(t, map[string]string{"a": "a\r\nb\r\n"})
	ed := newEditor(t, w)
	uri := ed.open("a", "a\r\nb\r\n")
	ed.before = func(FileEdit) (EditAnswer, bool) {
		ed.didChange(uri, 2, []ContentChange{{Text: "A\r\nb\r\n"}})
		return EditAnswer{Applied: true}, true
	}
	got, err := apply(w, modify(read(t, w, "a"), "A\nb"))
	if err != nil || got[0].After != "A\r\nb\r\n" || got[0].Hash != mirror.Hash(got[0].After) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTheChangeMayComeAfterTheAnswer(t *testing.T) {
	for _, tc := range []struct {
		delay time.Duration
		want  error
	}{{1900 * time.Millisecond, nil}, {2100 * time.Millisecond, ErrNotApplied}} {
		synctest.Test(t, func(t *testing.T) {
			w, _ := newAt(t, map[string]string{"a": "x\n"})
			ed := newEditor(t, w)
			ed.open("a", "x\n")
			var wg conc.WaitGroup
			ed.late = func(tell func()) {
				wg.Go(func() { time.Sleep(tc.delay); tell() })
			}
			_, err := apply(w, modify(read(t, w, "a"), "y\n"))
			if !errors.Is(err, tc.want) {
				t.Errorf("after %v: %v", tc.delay, err)
			}
			wg.Wait()
		})
	}
}

func TestAnEditorThatFailsTheRequest(t *testing.T) {
	w, _ := newAt(t, map[string]string{"a": "x\n"})
	ed := newEditor(t, w)
	ed.open("a", "x\n")
	broken := errors.New("connection closed")
	w.SetEditor(editorFunc(func(context.Context, FileEdit) (EditAnswer, error) { return EditAnswer{}, broken }))
	if _, err := apply(w, modify(read(t, w, "a"), "y\n")); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	w.SetEditor(editorFunc(func(ctx context.Context, e FileEdit) (EditAnswer, error) {
		_, err := ed.ApplyEdit(ctx, e)
		return EditAnswer{}, errors.Join(err, broken)
	}))
	if got, err := apply(w, modify(read(t, w, "a"), "y\n")); err != nil || got[0].After != "y\n" {
		t.Errorf("it landed, but: %v", err)
	}
}

type editorFunc func(context.Context, FileEdit) (EditAnswer, error)

func (f editorFunc) ApplyEdit(ctx context.Context, e FileEdit) (EditAnswer, error) { return f(ctx, e) }

func TestAnEditorThatTakesNoEdits(t *testing.T) {
	for _, headless := range []bool{false, true} {
		w, dir := newAt(t, map[string]string{"a": "x\n"})
		ed := newEditor(t, w)
		uri := ed.open("a", "x\n")
		ed.before = func(FileEdit) (EditAnswer, bool) { return EditAnswer{Unsupported: true}, true }
		if headless {
			w.SetEditor(nil)
		}
		var events []Event
		w.Observe(func(e Event) { events = append(events, e) })
		got, err := apply(w, modify(read(t, w, "a"), "y\n"))
		if err != nil || got[0].Buffer || !got[0].Saved || onDisk(t, filepath.Join(dir, "a")) != "y\n" {
			t.Fatalf("%+v, %v", got, err)
		}
		if len(events) != 1 || events[0].Kind != Disk || events[0].Text != "y\n" || events[0].URI != uri {
			t.Errorf("%+v", events)
		}
		now := read(t, w, "a")
		if now.Text != "y\n" || now.Dirty || !now.Open {
			t.Errorf("while the editor has not loaded it: %+v", now)
		}
		if _, err := apply(w, modify(now, "z\n")); err != nil || onDisk(t, filepath.Join(dir, "a")) != "z\n" {
			t.Errorf("a second edit below the buffer: %v", err)
		}
		ed.typeText(uri, 0, "mine ")
		now = read(t, w, "a")
		if now.Text != "mine x\n" || !now.Dirty {
			t.Errorf("the user typed on: %+v", now)
		}
		if _, err := apply(w, modify(now, "other\n")); !errors.Is(err, ErrDirty) || onDisk(t, filepath.Join(dir, "a")) != "z\n" {
			t.Errorf("a dirty buffer: %v", err)
		}
	}
}

func TestTheUserTypesWhileAnEditorThatTakesNoEditsIsAsked(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "x\n"})
	ed := newEditor(t, w)
	uri := ed.open("a", "x\n")
	ed.before = func(FileEdit) (EditAnswer, bool) {
		ed.typeText(uri, 0, "mine ")
		return EditAnswer{Unsupported: true}, true
	}
	if _, err := apply(w, modify(read(t, w, "a"), "y\n")); !errors.Is(err, ErrDirty) || onDisk(t, filepath.Join(dir, "a")) != "x\n" {
		t.Errorf("%v", err)
	}
}

// TestManyChangesWhileEditsRun lets a user type in one part of a buffer while
// edits of another part go on; what the workspace says landed must have.
func TestManyChangesWhileEditsRun(t *testing.T) {
	const rounds = 60
	w, _ := newAt(t, map[string]string{"a": "head\nbody\ntail\n", "b": "b\n"})
	ed := newEditor(t, w)
	uri := ed.open("a", "head\nbody\ntail\n")
	ed.open("b", "b\n")
	var last atomic.Pointer[string]
	w.Observe(func(e Event) {
		if e.URI == uri {
			last.Store(&e.Text)
			if s, ok := w.Document(uri); !ok || !s.Open {
				t.Error("an observer cannot read")
			}
		}
	})
	var wg conc.WaitGroup
	var done atomic.Int32
	wg.Go(func() {
		for range rounds {
			ed.typeText(uri, 0, "é😀")
		}
	})
	for range 2 {
		wg.Go(func() {
			for done.Load() < rounds {
				now := read(t, w, "a")
				_, err := apply(w, modify(now, strings.Replace(now.Text, "tail\n", "tail\n+\n", 1)))
				switch {
				case err == nil:
					done.Add(1)
				case !errors.Is(err, ErrStale) && !errors.Is(err, ErrRejected):
					t.Errorf("%v", err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for i := range rounds {
			now := read(t, w, "b")
			if _, err := apply(w, modify(now, now.Text+"x\n")); err != nil {
				t.Errorf("another file, round %d: %v", i, err)
			}
		}
	})
	wg.Wait()
	got := ed.text(uri)
	if n := strings.Count(got, "+\n"); n != int(done.Load()) || strings.Count(got, "é😀") != rounds {
		t.Errorf("%d edits are in the buffer, %d were said to be", n, done.Load())
	}
	if now := read(t, w, "a"); now.Text != got || *last.Load() != got {
		t.Errorf("the mirror holds %q, observers heard %q, the buffer %q", now.Text, *last.Load(), got)
	}
}
