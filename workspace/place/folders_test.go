package place

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFoldersGivesWhatCanonicalGives(t *testing.T) {
	top := t.TempDir()
	for _, d := range []string{"a/b", "c"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "a", "b", "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"l": "a/b", "a/b/g": "f", "a/b/loop": "loop", "a/b/lost": "../none/x", "c/up": "../a"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(top, name)); err != nil {
			t.Skipf("NOT RUN: no symlinks here: %v", err)
		}
	}
	var f Folders
	for range 2 {
		for _, p := range []string{
			"a/b/f", "a/b/g", "a/b/new", "a/b/loop", "a/b/lost", "l/f", "l/g", "l/new", "c/up/b/f", "none/x/y", "a/b/f/below", "l", "", "a",
		} {
			path := filepath.Join(top, filepath.FromSlash(p))
			if got, want := f.Canonical(path), Canonical(path); got != want {
				t.Errorf("%s: %s, want %s", p, got, want)
			}
		}
	}
	root := filepath.VolumeName(top) + string(filepath.Separator)
	if got := f.Canonical(root); got != Canonical(root) {
		t.Errorf("%s", got)
	}
}
