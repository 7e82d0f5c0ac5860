package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/session"
	"companion/tools"
)

func TestFixTakesFilesOfTheFolderOnly(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "project")
	for _, name := range []string{"project/sub/a.go", "b.go"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join("..", "b.go"): "outside", filepath.Join(dir, "b.go"): "outside",
		"none.go": "no such file", "sub": "is a folder",
	} {
		_, err := Fix(context.Background(), Options{}, Headless{Cwd: root}, []string{path})
		var usage usageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("fix %s: %v, want wrong usage with %q", path, err, want)
		}
	}
}

// A file that nobody may read has unknown problems, not none.
func TestFixOfWhatCannotBeAskedForFails(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{".env", "note.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("K=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		files []string
		code  int
		says  string
	}{
		{[]string{".env"}, 1, "the problems of .env could not be asked for: denied"},
		{[]string{"note.txt", ".env"}, 1, "the problems of .env could not be asked for: denied"},
		{[]string{"note.txt"}, 0, ""},
	} {
		var out, errs strings.Builder
		o := Options{Out: &out, Err: &errs, Env: env{"COMPANION_CONFIG=" + os.DevNull, "COMPANION_STATE_DIR=" + t.TempDir()}}
		code, err := Fix(context.Background(), o, Headless{Cwd: root, Model: "offline", Mode: "edit"}, c.files)
		if code != c.code || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("fix %v: code %d, %v; want %d with %q\n%s%s", c.files, code, err, c.code, c.says, out.String(), errs.String())
		}
	}
}

func TestFixOfAFileAskedForAgainWithSuccessIsNoFailure(t *testing.T) {
	a := newAsked("/w", []string{"a.go", "b.go"})
	call := func(id, args string, outcome tools.Outcome) {
		a.event(session.Event{Type: session.ToolStarted, CallID: id, Tool: &session.ToolInfo{Name: "diagnostics", Source: string(tools.BuiltIn), Arguments: args}})
		a.event(session.Event{Type: session.ToolCompleted, CallID: id, End: &session.CallEnd{Outcome: string(outcome), Text: "why\nmore"}})
	}
	call("1", `{"paths":["./a.go"]}`, tools.Failed)
	call("2", `{"paths":["b.go"]}`, tools.OK)
	if got := a.unknown(); got != "the problems of a.go could not be asked for: failed: why" {
		t.Errorf("got %q", got)
	}
	call("3", `{}`, tools.OK)
	if got := a.unknown(); got != "" {
		t.Errorf("got %q after an answer for all", got)
	}
}
