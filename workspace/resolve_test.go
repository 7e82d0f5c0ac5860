package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/workspace/place"
)

func TestResolve(t *testing.T) {
	w, dir := newAt(t, map[string]string{"d/f": "f"})
	second := place.Canonical(t.TempDir())
	if err := w.SetRoots([]string{dir, second, filepath.Join(dir, "d"), dir}); err != nil {
		t.Fatal(err)
	}
	if got := w.Roots(); len(got) != 3 || got[0] != dir || got[1] != second {
		t.Errorf("roots %v", got)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	home = place.Canonical(home)
	for _, tc := range []struct {
		path, want, rel string
		outside         bool
	}{
		{"d/f", filepath.Join(dir, "d", "f"), "f", false},
		{"./d/../d//f/", filepath.Join(dir, "d", "f"), "f", false},
		{filepath.Join(dir, "x", "missing"), filepath.Join(dir, "x", "missing"), "x/missing", false},
		{filepath.Join(second, "g"), filepath.Join(second, "g"), "g", false},
		{"..", filepath.Dir(dir), filepath.Dir(dir), true},
		{dir + "x", dir + "x", dir + "x", true},
		{"~/f", filepath.Join(home, "f"), filepath.Join(home, "f"), true},
		{"~other/f", filepath.Join(dir, "~other", "f"), "~other/f", false},
		{".", dir, ".", false},
	} {
		f, err := w.Resolve(tc.path)
		want := File{Path: tc.want, URI: place.ToURI(tc.want, place.Windows), Rel: tc.rel, Outside: tc.outside}
		if err != nil || f != want {
			t.Errorf("%s: %+v, %v; want %+v", tc.path, f, err, want)
		}
	}
	for _, bad := range []string{"", "  ", "a\x00b"} {
		if f, err := w.Resolve(bad); err == nil {
			t.Errorf("%q is %+v", bad, f)
		}
	}
}

func TestResolveURINamesTheFileItSays(t *testing.T) {
	// HB-052
	w, dir := newAt(t, map[string]string{"a b.txt": "space\n", "a%20b.txt": "percent\n"})
	for name, want := range map[string]string{"a%20b.txt": "space\n", "a%2520b.txt": "percent\n"} {
		f, err := w.ResolveURI("file://" + filepath.ToSlash(dir) + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		now := read(t, w, f.Path)
		if now.Text != want {
			t.Errorf("%s holds %q", name, now.Text)
		}
		if _, err := apply(w, modify(now, "new "+want)); err != nil || onDisk(t, f.Path) != "new "+want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRootsMustBeFolders(t *testing.T) {
	w, dir := newAt(t, map[string]string{"f": "f"})
	for _, bad := range []string{filepath.Join(dir, "no"), filepath.Join(dir, "f")} {
		if err := w.SetRoots([]string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
		if _, err := New(Options{Roots: []string{bad}}); err == nil {
			t.Errorf("%s is a root", bad)
		}
	}
	if got := w.Roots(); len(got) != 1 || got[0] != dir {
		t.Errorf("roots %v", got)
	}
	if err := w.SetRoots(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Resolve("f"); err == nil {
		t.Error("a relative path without a root")
	}
	if f, err := w.Resolve(filepath.Join(dir, "f")); err != nil || !f.Outside {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestReadSaysWhyNot(t *testing.T) {
	dir := place.Canonical(t.TempDir())
	put(t, filepath.Join(dir, "bin"), "a\x00")
	put(t, filepath.Join(dir, "big"), "12345")
	w, err := New(Options{Roots: []string{dir}, MaxFile: 4})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"bin": ErrBinary, "big": ErrTooLarge, ".": ErrNotFile} {
		if s, err := w.Read(context.Background(), name); !errors.Is(err, want) || s.Text != "" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if s := read(t, w, "none"); s.Exists || s.Hash != "" || s.Rel != "none" {
		t.Errorf("%+v", s)
	}
}

func TestReadsAreRememberedByFileAndThread(t *testing.T) {
	// HB-149
	w, dir := newAt(t, map[string]string{"d/a": "a"})
	w.NoteRead("t1", filepath.Join(dir, "d", "a"), "h")
	spellings := []string{"d/a", "./d/a", filepath.Join(dir, "d", "a") + "/"}
	if os.Symlink(filepath.Join(dir, "d"), filepath.Join(dir, "l")) == nil {
		spellings = append(spellings, "l/a")
	}
	for _, s := range spellings {
		if h, ok := w.LastRead("t1", s); !ok || h != "h" {
			t.Errorf("%s: %q, %v", s, h, ok)
		}
	}
	if _, ok := w.LastRead("t2", "d/a"); ok {
		t.Error("another thread has not read it")
	}
	w.ForgetThread("t1")
	if _, ok := w.LastRead("t1", "d/a"); ok {
		t.Error("a forgotten thread remembers")
	}
}

func TestAFolderSwappedBetweenCheckAndWrite(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "a", "sub/f": "f"})
	outside := place.Canonical(t.TempDir())
	put(t, filepath.Join(outside, "f"), "f")
	if err := os.Symlink(outside, filepath.Join(dir, "probe")); err != nil {
		t.Skipf("this system lets us make no links: %v", err)
	}
	// The event of the first change comes after the check of the second.
	w.Observe(func(e Event) {
		if e.Rel == "a" && e.Text == "A" {
			if err := os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "moved")); err != nil {
				t.Error(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
				t.Error(err)
			}
		}
	})
	_, err := apply(w, modify(read(t, w, "a"), "A"), modify(read(t, w, "sub/f"), "F"))
	if !errors.Is(err, ErrOutside) || onDisk(t, filepath.Join(outside, "f")) != "f" || onDisk(t, filepath.Join(dir, "a")) != "a" {
		t.Errorf("%v; outside holds %q", err, onDisk(t, filepath.Join(outside, "f")))
	}
}
