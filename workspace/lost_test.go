package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestALostBufferIsNeitherReadNorChangedUntilItIsSaved(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := New(Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	w.DidOpen(f.URI, "plaintext", 1, "one\n")
	if !w.Lose(f.URI) || w.Lose(f.URI) || w.Lose("file:///not/open") {
		t.Error("it is lost once, and only where it is open")
	}
	change := []Change{{Kind: Modify, Path: f.Path, Before: "one\n", After: "two\n"}}
	if _, err := w.Read(context.Background(), f.Path); !errors.Is(err, ErrLost) {
		t.Errorf("read: %v", err)
	}
	if _, err := w.Apply(context.Background(), "x", change); !errors.Is(err, ErrLost) {
		t.Errorf("applied: %v", err)
	}
	if err := os.WriteFile(path, []byte("what the user saved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.DidSave(f.URI, nil)
	if s, err := w.Read(context.Background(), f.Path); err != nil || s.Text != "what the user saved\n" || !s.Open || s.Dirty {
		t.Errorf("after a save %+v, %v", s, err)
	}
	w.Lose(f.URI)
	w.DidOpen(f.URI, "plaintext", 1, "anew\n")
	if s, err := w.Read(context.Background(), f.Path); err != nil || s.Text != "anew\n" {
		t.Errorf("opened anew %+v, %v", s, err)
	}
}
