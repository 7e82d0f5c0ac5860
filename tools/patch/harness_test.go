package patch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

// bench is a workspace with files, and the tool over it.
type bench struct {
	t    testing.TB
	dir  string
	ws   *workspace.Workspace
	tool tools.Tool
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return benchAt(t, dir, files)
}

func benchAt(t testing.TB, dir string, files map[string]string) *bench {
	t.Helper()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, dir, ws, New(ws)}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// prepare is the tool's Prepare of a patch.
func (b *bench) prepare(input string) (tools.Action, error) {
	data, err := json.Marshal(args{input})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.tool.Prepare(context.Background(), tools.Call{Thread: "t", Args: data, Roots: []string{b.dir}})
}

// apply runs a patch. A failed one must leave every byte as it was.
func (b *bench) apply(input string) (tools.Result, error) {
	b.t.Helper()
	before := tree(b.t, b.dir)
	a, err := b.prepare(input)
	if err == nil {
		var r tools.Result
		if r, err = a.Run(context.Background(), nil); err == nil {
			return r, nil
		}
	}
	var no *tools.Refusal
	if !errors.As(err, &no) {
		b.t.Fatalf("a broken contract: %v", err)
	}
	if after := tree(b.t, b.dir); !maps.Equal(before, after) {
		b.t.Fatalf("a failed patch changed the tree (%v):\n%q\n%q", err, before, after)
	}
	return tools.Result{}, err
}

func (b *bench) read(names ...string) {
	b.t.Helper()
	for _, n := range names {
		s, err := b.ws.Read(context.Background(), filepath.Join(b.dir, n))
		if err != nil {
			b.t.Fatal(err)
		}
		b.ws.NoteRead("t", s.Path, s.Hash)
	}
}

// tree is every file and folder below dir, with content and mode.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			out[rel+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(path)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// contents is tree without folders.
func contents(t testing.TB, dir string) map[string]string {
	out := tree(t, dir)
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	return out
}

// cases is a folder of data that lies beside the repository, or where
// COMPANION_CASES says.
func cases(t testing.TB, name string) string {
	t.Helper()
	top := os.Getenv("COMPANION_CASES")
	if top == "" {
		top = filepath.Join("..", "..", "..", "shared", "cases")
	}
	dir := filepath.Join(top, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("NOT RUN: the cases %s are not here (%v); set COMPANION_CASES to their folder", name, err)
	}
	return dir
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
