package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"companion/text"
	"companion/workspace/mirror"
	"companion/workspace/place"
)

// farEditor is asked for every file, and makes files in buffers or on disk.
type farEditor struct {
	*fakeEditor
	reach Reach
	onBuf bool                              // what it makes and moves it opens
	says  func(FileEdit) (EditAnswer, bool) // instead of doing it
}

func (f *farEditor) Reach() Reach { return f.reach }

func newFar(t *testing.T, w *Workspace) *farEditor {
	f := &farEditor{fakeEditor: newEditor(t, w), reach: Reach{Closed: true, Create: true, Delete: true, Rename: true}}
	w.SetEditor(f)
	return f
}

func (f *farEditor) ApplyEdit(ctx context.Context, e FileEdit) (EditAnswer, error) {
	if f.says != nil {
		if a, said := f.says(e); said {
			f.mu.Lock()
			f.asked = append(f.asked, e)
			f.mu.Unlock()
			return a, nil
		}
	}
	if e.Version != nil && !e.Delete && e.RenameTo == "" {
		return f.fakeEditor.ApplyEdit(ctx, e)
	}
	f.mu.Lock()
	f.asked = append(f.asked, e)
	f.mu.Unlock()
	path, err := place.FromURI(e.URI, place.Windows)
	if err != nil {
		return EditAnswer{}, err
	}
	after, err := text.Apply(e.Before, e.Edits)
	if err != nil {
		return EditAnswer{}, err
	}
	if f.buffer(e.URI) != nil && (e.Delete || e.RenameTo != "") {
		f.mu.Lock()
		delete(f.buffers, e.URI)
		f.mu.Unlock()
		f.w.DidClose(e.URI)
	}
	if e.Delete {
		return EditAnswer{Applied: true}, os.Remove(path)
	}
	if e.RenameTo != "" {
		to, err := place.FromURI(e.RenameTo, place.Windows)
		if err != nil {
			return EditAnswer{}, err
		}
		if err := os.Rename(path, to); err != nil {
			return EditAnswer{}, err
		}
		path = to
	}
	if f.onBuf {
		if _, err := os.Stat(path); err != nil {
			put(f.t, path, "")
		}
		f.open(path, after)
		return EditAnswer{Applied: true}, nil
	}
	put(f.t, path, after)
	return EditAnswer{Applied: true}, nil
}

func set(w *Workspace, t *testing.T, dir string) []Change {
	p := func(name string) string { return filepath.Join(dir, name) }
	return []Change{
		modify(read(t, w, "closed"), "closed 2\n"),
		modify(read(t, w, "open"), "open 2\n"),
		{Kind: Create, Path: p("new"), After: "new\n"},
		{Kind: Delete, Path: p("gone"), Base: mirror.Hash("gone\n")},
		{Kind: Rename, Path: p("to"), From: p("from"), Base: mirror.Hash("from\n"), Before: "from\n", After: "from 2\n"},
	}
}

var before = map[string]string{"closed": "closed\n", "open": "open\n", "gone": "gone\n", "from": "from\n"}

func TestEveryKindOfChangeGoesThroughAnEditorThatReachesSoFar(t *testing.T) {
	// HB-067: a rename with edits.
	for _, onBuf := range []bool{false, true} {
		w, dir := newAt(t, before)
		ed := newFar(t, w)
		ed.onBuf = onBuf
		uri := ed.open("open", "open\n")
		got, err := apply(w, set(w, t, dir)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct{ name, want string }{
			{"closed", "closed 2\n"},
			{"open", "open 2\n"},
			{"new", "new\n"},
			{"to", "from 2\n"},
		} {
			if s := read(t, w, f.name); s.Text != f.want || s.Open != (onBuf || f.name == "open") {
				t.Errorf("%s: %+v", f.name, s)
			}
		}
		if read(t, w, "gone").Exists || read(t, w, "from").Exists || ed.text(uri) != "open 2\n" || len(ed.requests()) != 5 {
			t.Errorf("left: %s, %d requests", tree(t, dir), len(ed.requests()))
		}
		if a := got[4]; a.From != filepath.Join(dir, "from") || a.After != "from 2\n" || a.Buffer != onBuf || a.Hash != mirror.Hash("from 2\n") {
			t.Errorf("%+v", a)
		}
	}
}

func TestASetOverEditorAndDiskIsAllOrNone(t *testing.T) {
	for _, onBuf := range []bool{false, true} {
		w, dir := newAt(t, before)
		ed := newFar(t, w)
		ed.onBuf = onBuf
		ed.open("open", "open\n")
		was := tree(t, dir)
		changes := append(set(w, t, dir), Change{Kind: Create, Path: filepath.Join(dir, "refused"), After: "x"})
		ed.says = func(e FileEdit) (EditAnswer, bool) {
			return EditAnswer{Why: Rejected, Reason: "no"}, strings.HasSuffix(e.URI, "refused")
		}
		_, err := apply(w, changes...)
		var fail *ApplyError
		if !errors.As(err, &fail) || !errors.Is(err, ErrRejected) || len(fail.Left) > 0 {
			t.Fatalf("%v", err)
		}
		for name, want := range before {
			if s := read(t, w, name); s.Text != want {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if read(t, w, "new").Exists || read(t, w, "to").Exists || !onBuf && tree(t, dir) != was {
			t.Errorf("left: %s", tree(t, dir))
		}
	}
}

func TestWhatAnEditorSaysOfFilesThatItHasNotOpen(t *testing.T) {
	for _, tc := range []struct {
		name  string
		a     EditAnswer
		want  string // of the file
		err   error
		asked int
	}{
		{"not open", EditAnswer{Why: NotOpen}, "closed 2\n", nil, 1},
		{"not found", EditAnswer{Why: NotFound}, "closed 2\n", nil, 1},
		{"unsupported", EditAnswer{Why: Unsupported}, "closed 2\n", nil, 1},
		{"rejected", EditAnswer{Why: Rejected}, "closed\n", ErrRejected, 1},
		{"read-only", EditAnswer{Why: ReadOnly}, "closed\n", ErrRejected, 1},
		{"no reason", EditAnswer{}, "closed\n", ErrRejected, 1},
		{"another text, twice", EditAnswer{Why: Conflicting}, "closed\n", ErrStale, 2},
		{"another version, twice", EditAnswer{Why: VersionMismatch}, "closed\n", ErrStale, 2},
		{"HB-185 applied, and it is not", EditAnswer{Applied: true}, "closed\n", ErrNotApplied, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := newAt(t, before)
				ed := newFar(t, w)
				ed.says = func(FileEdit) (EditAnswer, bool) { return tc.a, true }
				_, err := apply(w, merging(read(t, w, "closed"), "closed 2\n"))
				if !errors.Is(err, tc.err) || read(t, w, "closed").Text != tc.want || len(ed.requests()) != tc.asked {
					t.Errorf("%v, %q, asked %d times", err, read(t, w, "closed").Text, len(ed.requests()))
				}
			})
		})
	}
}

func TestAnEditorThatSaysItMadeDeletedOrRenamedIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, dir := newAt(t, before)
		ed := newFar(t, w)
		ed.says = func(FileEdit) (EditAnswer, bool) { return EditAnswer{Applied: true}, true }
		was := tree(t, dir)
		for _, c := range set(w, t, dir)[2:] {
			if _, err := apply(w, c); !errors.Is(err, ErrNotApplied) || tree(t, dir) != was {
				t.Errorf("%s: %v, left %s", c.Kind, err, tree(t, dir))
			}
		}
	})
}

func TestAnEditorMovesAFileWithWhatIsUnsaved(t *testing.T) {
	w, dir := newAt(t, before)
	ed := newFar(t, w)
	ed.onBuf = true
	uri := ed.open("from", "from\n")
	ed.typeText(uri, 0, "mine\n")
	now := read(t, w, "from")
	c := Change{Kind: Rename, Path: filepath.Join(dir, "to"), From: now.Path, Base: now.Hash, Before: now.Text, After: now.Text}
	if _, err := apply(w, c); err != nil {
		t.Fatal(err)
	}
	if s := read(t, w, "to"); s.Text != "mine\nfrom\n" || !s.Dirty || onDisk(t, s.Path) != "from\n" || read(t, w, "from").Exists {
		t.Errorf("%+v", s)
	}
	ed.says = func(FileEdit) (EditAnswer, bool) { return EditAnswer{Why: NotOpen}, true }
	now = read(t, w, "to")
	c = Change{Kind: Rename, Path: filepath.Join(dir, "from"), From: now.Path, Base: now.Hash, Before: now.Text, After: now.Text}
	if _, err := apply(w, c); !errors.Is(err, ErrDirty) {
		t.Errorf("on disk, below unsaved changes: %v", err)
	}
}

func TestAFileIsMadeInItsFormat(t *testing.T) {
	w, dir := newAt(t, nil)
	path := filepath.Join(dir, "a")
	c := Change{Kind: Create, Path: path, After: "é\r\n", Format: text.Format{BOM: true, Charset: text.CharsetUTF16LE}}
	if _, err := apply(w, c); err != nil || onDisk(t, path) != "\xFF\xFE\xE9\x00\r\x00\n\x00" {
		t.Errorf("%q, %v", onDisk(t, path), err)
	}
	got, err := apply(w, Change{Kind: Delete, Path: path, Base: mirror.Hash("é\r\n")})
	if err != nil || got[0].Format != c.Format {
		t.Errorf("%+v, %v", got, err)
	}
}
