package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func linked(t *testing.T) (root string, w *Workspace) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.MkdirAll(filepath.Join(root, "dir"), 0o755), os.WriteFile(filepath.Join(root, "real"), []byte("text"), 0o644),
		os.WriteFile(filepath.Join(root, "other"), []byte("other"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "real", "folder": "dir", "dir/up": "../real"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip("no symlinks here:", err)
		}
	}
	w, err = New(Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	return root, w
}

func TestALinkIsNamedByItsLastPart(t *testing.T) {
	root, w := linked(t)
	for path, target := range map[string]string{"link": "real", "folder": "dir", "folder/up": "../real", "./dir/up": "../real", "real": "", "folder/x": "", "nope": ""} {
		l, ok := w.ResolveLink(path)
		if ok != (target != "") || l.Target != target {
			t.Errorf("%s: %+v, %v", path, l, ok)
		}
	}
	if l, _ := w.ResolveLink("folder/up"); l.Path != filepath.Join(root, "dir", "up") || l.Outside {
		t.Errorf("%+v", l)
	}
}

func TestALinkThatLeadsElsewhereByNowStays(t *testing.T) {
	root, w := linked(t)
	l, _ := w.ResolveLink("link")
	at := filepath.Join(root, "link")
	if err := errors.Join(os.Remove(at), os.Symlink("other", at)); err != nil {
		t.Fatal(err)
	}
	if err := w.RemoveLink(context.Background(), l, false); !errors.Is(err, ErrStale) {
		t.Errorf("%v", err)
	}
	if err := w.MoveLink(context.Background(), l, "new", false); !errors.Is(err, ErrStale) {
		t.Errorf("%v", err)
	}
	if to, err := os.Readlink(at); to != "other" {
		t.Errorf("%q %v", to, err)
	}
	if _, err := os.Lstat(filepath.Join(root, "new")); err == nil {
		t.Error("half of a move is there")
	}
	l, _ = w.ResolveLink("link")
	if err := w.MoveLink(context.Background(), l, "real", false); !errors.Is(err, ErrExists) {
		t.Errorf("%v", err)
	}
	w.SetReadOnly(root, true)
	if err := w.RemoveLink(context.Background(), l, false); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v", err)
	}
}

// Where the system tells names apart by case, another spelling is another name.
func TestAnotherSpellingOfANameIsGivenOnlyWhereNothingIs(t *testing.T) {
	root, w := linked(t)
	f, err := w.Resolve("real")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Recase(context.Background(), f, "other", false); !errors.Is(err, ErrExists) {
		t.Errorf("%v", err)
	}
	if err := w.Recase(context.Background(), f, "Real", false); err != nil {
		t.Fatal(err)
	}
	if names, err := filepath.Glob(filepath.Join(root, "[Rr]eal")); err != nil || len(names) != 1 || filepath.Base(names[0]) != "Real" {
		t.Errorf("%v %v", names, err)
	}
	if w.SameName("Real", "other") || w.SameName("Real", "Real") || w.SameName("nope", "Nope") {
		t.Error("other files are taken for one")
	}
}
