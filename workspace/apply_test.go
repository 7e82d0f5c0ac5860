package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/text"
	"companion/workspace/mirror"
	"companion/workspace/place"
)

func tree(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.Type().IsRegular() {
			rel += "=" + onDisk(t, p)
		}
		out = append(out, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestCreateDeleteRename(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a", "b": "\xEF\xBB\xBFb", "c": "c"})
	if err := os.Chmod(filepath.Join(dir, "b"), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen []string
	w.Observe(func(e Event) {
		s := string(e.Kind) + " " + e.Rel
		if e.Created {
			s += " created"
		}
		if e.Deleted {
			s += " deleted"
		}
		seen = append(seen, s)
	})
	p := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	got, err := apply(w,
		Change{Kind: Create, Path: p("x/y/new"), After: "new"},
		Change{Kind: Delete, Path: p("a"), Base: mirror.Hash("a"), Before: "a"},
		Change{Kind: Rename, Path: p("z/b2"), From: p("b"), Base: mirror.Hash("b"), Before: "b", After: "B"},
		Change{Kind: Rename, Path: p("c2"), From: p("c")},
	)
	if err != nil {
		t.Fatal(err)
	}
	if s := tree(t, dir); s != "c2=c x x/y x/y/new=new z z/b2=\xEF\xBB\xBFB" {
		t.Errorf("%q", s)
	}
	want := "disk x/y/new created,disk a deleted,disk z/b2 created,disk b deleted,disk c2 created,disk c deleted"
	if strings.Join(seen, ",") != want {
		t.Errorf("%s", strings.Join(seen, ","))
	}
	if info, _ := os.Stat(p("z/b2")); info.Mode().Perm() != 0o600 {
		t.Errorf("%v", info.Mode())
	}
	if got[2].From != p("b") || got[2].Path != p("z/b2") || got[2].Before != "b" || got[2].After != "B" || got[2].Hash != mirror.Hash("B") || got[1].After != "" || got[1].Before != "a" {
		t.Errorf("%+v", got)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(p func(string) string) Change
		want   error
	}{
		{"another hash", func(p func(string) string) Change {
			return Change{Kind: Modify, Path: p("a"), Base: mirror.Hash("old"), Before: "old", After: "x"}
		}, ErrStale},
		{"no hash and another text", func(p func(string) string) Change {
			return Change{Kind: Modify, Path: p("a"), Before: "old", After: "x"}
		}, ErrStale},
		{"gone", func(p func(string) string) Change { return Change{Kind: Modify, Path: p("no"), After: "x"} }, ErrStale},
		{"delete what is gone", func(p func(string) string) Change { return Change{Kind: Delete, Path: p("no")} }, ErrStale},
		{"create over a file", func(p func(string) string) Change { return Change{Kind: Create, Path: p("a"), After: "x"} }, ErrExists},
		{"create over a binary file", func(p func(string) string) Change { return Change{Kind: Create, Path: p("bin"), After: "x"} }, ErrExists},
		{"create over a folder", func(p func(string) string) Change { return Change{Kind: Create, Path: p("d"), After: "x"} }, ErrNotFile},
		{"create over an open buffer", func(p func(string) string) Change { return Change{Kind: Create, Path: p("unsaved"), After: "x"} }, ErrExists},
		{"create below a file", func(p func(string) string) Change { return Change{Kind: Create, Path: p("a/b"), After: "x"} }, nil},
		{"rename over a file", func(p func(string) string) Change { return Change{Kind: Rename, From: p("a"), Path: p("d/b")} }, ErrExists},
		{"rename what is gone", func(p func(string) string) Change { return Change{Kind: Rename, From: p("no"), Path: p("x")} }, ErrStale},
		{"rename to itself", func(p func(string) string) Change { return Change{Kind: Rename, From: p("a"), Path: p("a")} }, nil},
		{"delete a dirty buffer", func(p func(string) string) Change { return Change{Kind: Delete, Path: p("dirty")} }, ErrDirty},
		{"rename a dirty buffer", func(p func(string) string) Change { return Change{Kind: Rename, From: p("dirty"), Path: p("x")} }, ErrDirty},
		{"outside", func(func(string) string) Change {
			return Change{Kind: Create, Path: filepath.Join(os.TempDir(), "companion-outside"), After: "x"}
		}, ErrOutside},
		{"outside by ..", func(p func(string) string) Change {
			return Change{Kind: Create, Path: p("..") + "/companion-outside", After: "x"}
		}, ErrOutside},
		{"outside by a link", func(p func(string) string) Change { return Change{Kind: Create, Path: p("out/f"), After: "x"} }, ErrOutside},
		{"outside by a last link to nowhere", func(p func(string) string) Change { return Change{Kind: Create, Path: p("dangling"), After: "x"} }, ErrOutside},
		{"a link where a file was approved", func(p func(string) string) Change { return Change{Kind: Create, Path: p("inner/f"), After: "x"} }, ErrStale},
		{"no such charset", func(p func(string) string) Change {
			return Change{Kind: Modify, Path: p("latin"), Before: "café", After: "€"}
		}, nil},
		{"invalid utf-8", func(p func(string) string) Change {
			return Change{Kind: Modify, Path: p("a"), Before: "a", After: "\xff"}
		}, nil},
		{"a kind from elsewhere", func(p func(string) string) Change { return Change{Kind: "chmod", Path: p("a")} }, nil},
		{"an empty path", func(func(string) string) Change { return Change{Kind: Modify} }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, dir := newAt(t, map[string]string{"a": "a", "dirty": "d", "d/b": "b", "bin": "\x00", "latin": "caf\xe9"})
			outside := t.TempDir()
			for name, target := range map[string]string{"out": outside, "dangling": filepath.Join(outside, "f"), "inner": "d"} {
				if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
					t.Skipf("this system lets us make no links: %v", err)
				}
			}
			newEditor(t, w).open("unsaved", "u")
			f, _ := w.Resolve("dirty")
			w.DidOpen(f.URI, "fake", 1, "mine")
			before := tree(t, dir)
			c := tc.change(func(name string) string { return filepath.Join(dir, name) })
			_, err := apply(w, Change{Kind: Create, Path: filepath.Join(dir, "first"), After: "1"}, c)
			var e *ApplyError
			if !errors.As(err, &e) || tc.want != nil && !errors.Is(err, tc.want) || len(e.Left) > 0 {
				t.Errorf("%v", err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("%s\nbecame\n%s", before, after)
			}
			if list, _ := os.ReadDir(outside); len(list) > 0 {
				t.Errorf("outside holds %v", list)
			}
		})
	}
}

func TestAllowedOutside(t *testing.T) {
	w, _ := newAt(t, nil)
	other := place.Canonical(t.TempDir())
	p := filepath.Join(other, "sub", "f")
	if _, err := apply(w, Change{Kind: Create, Path: p, After: "x", AllowOutside: true}); err != nil || onDisk(t, p) != "x" {
		t.Errorf("%v", err)
	}
	if err := os.Symlink(p, filepath.Join(other, "link")); err != nil {
		t.Skipf("this system lets us make no links: %v", err)
	}
	_, err := apply(w, Change{Kind: Modify, Path: filepath.Join(other, "link"), Before: "x", After: "y", AllowOutside: true})
	if !errors.Is(err, ErrStale) || onDisk(t, p) != "x" {
		t.Errorf("what was allowed is another file: %v", err)
	}
}

func TestReadOnlyRoots(t *testing.T) {
	w, dir := newAt(t, map[string]string{"in/a": "a", "b": "b"})
	if err := w.SetRoots([]string{dir, filepath.Join(dir, "in")}); err != nil {
		t.Fatal(err)
	}
	w.SetReadOnly(dir, true)
	if _, err := apply(w, modify(read(t, w, "b"), "x")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v", err)
	}
	if _, err := apply(w, modify(read(t, w, "in/a"), "x")); err != nil {
		t.Errorf("a trusted root inside: %v", err)
	}
	w.SetReadOnly(dir, false)
	if _, err := apply(w, modify(read(t, w, "b"), "x")); err != nil {
		t.Errorf("trusted again: %v", err)
	}
}

func TestAllOrNone(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a\n1\n2\n3\n", "b": "b\r\n", "c": "c", "d": "d", "bad": "caf\xe9", "open2": "o2\n"})
	ed := newEditor(t, w)
	uri := ed.open("a", "a\n1\n2\n3\n")
	p := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	before := tree(t, dir)
	var set []Change
	for _, name := range []string{"a", "b"} {
		now := read(t, w, name)
		set = append(set, modify(now, strings.ToUpper(now.Text)))
	}
	set = append(set,
		Change{Kind: Create, Path: p("n/e/w"), After: "x"},
		Change{Kind: Delete, Path: p("c")},
		Change{Kind: Rename, From: p("d"), Path: p("m/d")},
		Change{Kind: Modify, Path: p("bad"), Before: "café", After: "€"})
	var charset *text.CharsetError
	var e *ApplyError
	ed.after = func(uri string) { // the user types elsewhere before the rest fails
		if len(ed.requests()) == 1 {
			b := ed.buffer(uri)
			ed.change(uri, b, []text.Edit{{Start: len(b.text), End: len(b.text), New: "typed\n"}})
		}
	}
	_, err := apply(w, set...)
	if !errors.As(err, &e) || !errors.As(err, &charset) || e.Path != p("bad") || len(e.Left) != 0 {
		t.Errorf("%v", err)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	if got := ed.text(uri); got != "a\n1\n2\n3\ntyped\n" || len(ed.requests()) != 2 {
		t.Errorf("the buffer holds %q after %d requests", got, len(ed.requests()))
	}
	if r := ed.requests(); !r[0].Save || r[1].Save {
		t.Error("taking back saves what the user typed")
	}
	ed.after = nil
	if _, err := apply(w, modify(read(t, w, "a"), "a\n"), set[5]); err == nil || ed.requests()[3].Save || ed.text(uri) != "a\n1\n2\n3\ntyped\n" {
		t.Errorf("a dirty buffer: %+v, %v", ed.requests()[3], err)
	}
	uri = ed.open("open2", "o2\n")
	if _, err := apply(w, modify(read(t, w, "open2"), "O2\n"), set[5]); err == nil || !ed.requests()[5].Save || ed.text(uri) != "o2\n" {
		t.Errorf("a clean buffer: %+v, %v", ed.requests()[5], err)
	}
}

func TestWhatCannotBeTakenBackIsNamed(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a\n", "b": "b", "bad": "caf\xe9"})
	ed := newEditor(t, w)
	uri := ed.open("a", "a\n")
	ed.after = func(uri string) {
		b := ed.buffer(uri)
		ed.change(uri, b, []text.Edit{{Start: 0, End: 1, New: "mine"}})
	}
	w.Observe(func(e Event) {
		if e.Rel == "b" && e.Text == "B" {
			put(t, e.Path, "theirs")
		}
	})
	_, err := apply(w, modify(read(t, w, "a"), "A\n"), modify(read(t, w, "b"), "B"),
		Change{Kind: Modify, Path: filepath.Join(dir, "bad"), Before: "café", After: "€"})
	var e *ApplyError
	if !errors.As(err, &e) || len(e.Left) != 2 || !strings.Contains(err.Error(), "could not be taken back") {
		t.Fatalf("%v", err)
	}
	if ed.text(uri) != "mine\n" || onDisk(t, filepath.Join(dir, "b")) != "theirs" {
		t.Errorf("%q, %q", ed.text(uri), onDisk(t, filepath.Join(dir, "b")))
	}
}

func TestACleanOpenFileIsDeletedAndRenamedOnDisk(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a\n", "b": "b\r\n"})
	ed := newEditor(t, w)
	ed.open("a", "a\n")
	uri := ed.open("b", "b\n")
	a, b := read(t, w, "a"), read(t, w, "b")
	if _, err := apply(w, Change{Kind: Delete, Path: a.Path, Base: a.Hash},
		Change{Kind: Rename, From: b.Path, Path: filepath.Join(dir, "c"), Base: b.Hash, Before: b.Text, After: b.Text}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); got != "c=b\r\n" {
		t.Errorf("%q", got)
	}
	if s := read(t, w, "a"); s.Exists {
		t.Errorf("%+v", s)
	}
	ed.typeText(uri, 0, "x")
	if s := read(t, w, "b"); !s.Exists || !s.Dirty || s.Text != "xb\n" {
		t.Errorf("%+v", s)
	}
}

func TestASetChangesEachFileOnce(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a"})
	now := read(t, w, "a")
	if _, err := apply(w, modify(now, "b"), modify(now, "c")); err == nil || onDisk(t, filepath.Join(dir, "a")) != "a" {
		t.Errorf("%v", err)
	}
}

func TestCancelledChangesAreTakenBack(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a", "b": "b"})
	ctx, cancel := context.WithCancel(context.Background())
	w.Observe(func(Event) { cancel() })
	_, err := w.Apply(ctx, "t", []Change{modify(read(t, w, "a"), "A"), modify(read(t, w, "b"), "B")})
	if !errors.Is(err, context.Canceled) || tree(t, dir) != "a=a b=b" {
		t.Errorf("%v, %s", err, tree(t, dir))
	}
	if _, err := w.Apply(ctx, "t", []Change{modify(read(t, w, "a"), "A")}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAChangeThroughALinkKeepsTheLink(t *testing.T) {
	w, dir := newAt(t, map[string]string{"d/real": "x"})
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("d", "real"), link); err != nil {
		t.Skipf("this system lets us make no links: %v", err)
	}
	if _, err := apply(w, modify(read(t, w, "link"), "y")); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != filepath.Join("d", "real") || onDisk(t, link) != "y" {
		t.Errorf("%s, %v", target, err)
	}
}

func TestAnUntitledDocumentIsChangedInItsBuffer(t *testing.T) {
	w, _ := newAt(t, nil)
	ed := newEditor(t, w)
	ed.buffers["untitled:1"] = &fakeBuffer{version: 1, text: "x\n"}
	w.DidOpen("untitled:1", "fake", 1, "x\n")
	f, err := w.ResolveURI("untitled:1")
	if err != nil || !f.Outside {
		t.Fatalf("%+v, %v", f, err)
	}
	c := modify(read(t, w, f.Path), "y\n")
	if _, err := apply(w, c); !errors.Is(err, ErrOutside) {
		t.Errorf("%v", err)
	}
	c.AllowOutside = true
	if _, err := apply(w, c); err != nil || ed.text("untitled:1") != "y\n" {
		t.Errorf("%v", err)
	}
	if _, err := w.ResolveURI("untitled:2"); !errors.Is(err, ErrNotFile) {
		t.Errorf("%v", err)
	}
}

func TestABinaryFileIsDeletedAndTakenBackWhole(t *testing.T) {
	w, dir := newAt(t, map[string]string{"bin": "\x00\xff", "a": "a"})
	del := Change{Kind: Delete, Path: filepath.Join(dir, "bin")}
	if _, err := apply(w, del, Change{Kind: Modify, Path: filepath.Join(dir, "a"), Before: "a", After: "a"}, Change{Kind: Delete, Path: filepath.Join(dir, "no")}); err == nil {
		t.Error("a file that is not there was deleted")
	}
	w.Observe(func(e Event) {
		if e.Deleted {
			put(t, filepath.Join(dir, "a"), "theirs") // the next change of the set fails
		}
	})
	_, err := apply(w, del, modify(read(t, w, "a"), "b"))
	if !errors.Is(err, ErrStale) || tree(t, dir) != "a=theirs bin=\x00\xff" {
		t.Errorf("%v, %q", err, tree(t, dir))
	}
}

func TestARenameWhoseOldNameCannotGoIsTakenBack(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a"})
	w.Observe(func(e Event) {
		if e.Created {
			put(t, filepath.Join(dir, "a"), "changed by another hand")
		}
	})
	_, err := apply(w, Change{Kind: Rename, From: filepath.Join(dir, "a"), Path: filepath.Join(dir, "n", "b")})
	var e *ApplyError
	if !errors.Is(err, ErrStale) || !errors.As(err, &e) || len(e.Left) != 0 || tree(t, dir) != "a=changed by another hand" {
		t.Errorf("%v, %q", err, tree(t, dir))
	}
}

func TestAReadOnlyFileIsNotReplaced(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a"})
	if err := os.Chmod(filepath.Join(dir, "a"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := apply(w, modify(read(t, w, "a"), "b")); !errors.Is(err, fs.ErrPermission) || tree(t, dir) != "a=a" {
		t.Errorf("%v", err)
	}
}

func TestBelowACleanBufferTheDiskMustBeTheSame(t *testing.T) {
	for _, there := range []bool{true, false} {
		w, dir := newAt(t, map[string]string{"a": "a\n"})
		newEditor(t, w).open("a", "a\n")
		w.SetEditor(nil)
		now := read(t, w, "a")
		if there {
			put(t, filepath.Join(dir, "a"), "by git\n")
		} else if err := os.Remove(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		for _, c := range []Change{modify(now, "b\n"), {Kind: Delete, Path: now.Path}, {Kind: Rename, From: now.Path, Path: now.Path + "2"}} {
			if _, err := apply(w, c); !errors.Is(err, ErrStale) || tree(t, dir) != before {
				t.Errorf("%s: %v, %q", c.Kind, err, tree(t, dir))
			}
		}
	}
}

func TestObserversHearOfFilesThatAreNoText(t *testing.T) {
	w, dir := newAt(t, map[string]string{"bin": "\x00", "d/f": ""})
	var seen []string
	w.Observe(func(e Event) { seen = append(seen, string(e.Kind)+" "+e.Rel) })
	w.DiskChanged(filepath.Join(dir, "bin"), "d", "\x00", "d/f")
	if got := strings.Join(seen, ","); got != "disk bin,disk d/f" {
		t.Errorf("%s", got)
	}
}

func TestARenameOfUnsavedTextNamesTheFileThatIsOpen(t *testing.T) {
	w, dir := newAt(t, map[string]string{"dirty": "d"})
	f, _ := w.Resolve("dirty")
	w.DidOpen(f.URI, "fake", 1, "mine")
	_, err := apply(w, Change{Kind: Rename, From: filepath.Join(dir, "dirty"), Path: filepath.Join(dir, "x")})
	var e *ApplyError
	if !errors.As(err, &e) || e.Path != filepath.Join(dir, "dirty") || !errors.Is(err, ErrDirty) {
		t.Errorf("%v", err)
	}
}
