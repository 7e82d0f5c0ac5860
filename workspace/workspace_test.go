package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"companion/workspace/place"
)

// newAt gives a workspace over a fresh folder that holds files.
func newAt(t *testing.T, files map[string]string) (*Workspace, string) {
	t.Helper()
	dir := place.Canonical(t.TempDir())
	for name, content := range files {
		put(t, filepath.Join(dir, name), content)
	}
	w, err := New(Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return w, dir
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func onDisk(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func read(t *testing.T, w *Workspace, path string) Snapshot {
	t.Helper()
	s, err := w.Read(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestModifyOnDiskKeepsBytes(t *testing.T) {
	for _, tc := range []struct{ name, before, edit, after string }{
		{"HB-103 utf-8 bom", "\xEF\xBB\xBFtitle\nдом\n", "titel\nдом\n", "\xEF\xBB\xBFtitel\nдом\n"},
		{"HB-104 latin-1", "caf\xe9 = 1\nx = 1\n", "café = 1\nx = 2\n", "caf\xe9 = 1\nx = 2\n"},
		{"HB-105 utf-16le", "\xFF\xFEa\x00\n\x00", "b\n", "\xFF\xFEb\x00\n\x00"},
		{"utf-16be", "\xFE\xFF\x00a\x00\n", "b\n", "\xFE\xFF\x00b\x00\n"},
		{"mixed endings, no last one", "a\r\nb\nc\rd", "a\r\nB\nc\rd", "a\r\nB\nc\rd"},
		{"to nothing", "a\n", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, dir := newAt(t, map[string]string{"f.txt": tc.before})
			p := filepath.Join(dir, "f.txt")
			if err := os.Chmod(p, 0o751); err != nil {
				t.Fatal(err)
			}
			now := read(t, w, "f.txt")
			got, err := w.Apply(context.Background(), "t", []Change{{Kind: Modify, Path: now.Path, Base: now.Hash, Before: now.Text, After: tc.edit}})
			if err != nil {
				t.Fatal(err)
			}
			if d := onDisk(t, p); d != tc.after {
				t.Errorf("disk holds %q, want %q", d, tc.after)
			}
			again := read(t, w, "f.txt")
			if again.Text != tc.edit || again.Hash != got[0].Hash || got[0].Buffer || !got[0].Saved {
				t.Errorf("read back %+v after %+v", again, got[0])
			}
			if info, _ := os.Stat(p); info.Mode().Perm() != 0o751 {
				t.Errorf("mode is %v", info.Mode())
			}
		})
	}
}
