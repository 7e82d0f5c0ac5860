package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A crash while the editor is asked: files on disk are taken back by the next
// start, which says which buffers it cannot take back.
func TestTheNextStartTakesBackFilesAndTellsOfBuffers(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	intents := filepath.Join(t.TempDir(), "intents")
	open := func() *Workspace {
		w, err := New(Options{Roots: []string{root}, Intents: intents})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	closed, shown := filepath.Join(root, "closed"), filepath.Join(root, "shown")
	for _, p := range []string{closed, shown} {
		if err := os.WriteFile(p, []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := open()
	ed := newEditor(t, w)
	ed.open(shown, "old\n")
	var record []byte
	ed.before = func(FileEdit) (EditAnswer, bool) {
		list, err := filepath.Glob(filepath.Join(intents, "*"))
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		if record, err = os.ReadFile(list[0]); err != nil {
			t.Fatal(err)
		}
		return EditAnswer{}, false
	}
	if _, err := w.Apply(context.Background(), "Patch", []Change{
		{Kind: Modify, Path: closed, Before: "old\n", After: "new\n"}, {Kind: Modify, Path: shown, Before: "old\n", After: "new\n"},
	}); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(intents); err != nil || len(list) != 0 {
		t.Fatalf("a record stays: %v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(intents, "1-x.intent"), record, 0o600); err != nil {
		t.Fatal(err)
	}
	told, err := open().Repair(context.Background())
	if err != nil || len(told) != 1 {
		t.Fatalf("%v, %v", told, err)
	}
	if s := told[0]; !strings.Contains(s, "Taken back: "+closed) || !strings.Contains(s, "Open in an editor") || !strings.Contains(s, shown) {
		t.Errorf("%s", s)
	}
	if data, err := os.ReadFile(closed); err != nil || string(data) != "old\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// Every kind of step is recorded, with the names of temporary files; what fails
// leaves no record.
func TestEveryStepOnDiskIsRecorded(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	intents := filepath.Join(t.TempDir(), "intents")
	w, err := New(Options{Roots: []string{root}, Intents: intents})
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	for _, n := range []string{"m", "d", "r"} {
		if err := os.WriteFile(at(n), []byte(n+"-old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var record string
	cancel := w.Observe(func(Event) {
		if list, err := filepath.Glob(filepath.Join(intents, "*")); err == nil && len(list) == 1 {
			data, _ := os.ReadFile(list[0])
			record = string(data)
		}
	})
	defer cancel()
	changes := []Change{
		{Kind: Modify, Path: at("m"), Before: "m-old\n", After: "new\n"},
		{Kind: Delete, Path: at("d")},
		{Kind: Rename, From: at("r"), Path: at("sub/r2"), Before: "r-old\n", After: "r-new\n"},
		{Kind: Create, Path: at("c"), After: "c\n"},
	}
	if _, err := w.Apply(context.Background(), "Patch", changes); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"path":"` + at("m"), `"temp":".m.`, `"path":"` + at("d"), `"path":"` + at("r") + `"`, `"temp":".r2.`, `"made":["` + at("sub") + `"]`, `"path":"` + at("c"),
		"m-old\nd-old\nr-old\n",
	} {
		if filepath.Separator == '/' && !strings.Contains(record, want) {
			t.Errorf("the record lacks %s:\n%s", want, record)
		}
	}
	if _, err := w.Apply(context.Background(), "Patch", []Change{
		{Kind: Create, Path: at("x"), After: "x\n"}, {Kind: Modify, Path: at("m"), Before: "other\n", After: "y\n"},
	}); err == nil {
		t.Fatal("a stale change was made")
	}
	if list, err := os.ReadDir(intents); err != nil || len(list) != 0 {
		t.Errorf("a record stays: %v, %v", list, err)
	}
}
