package search

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// room is a workspace with its tools.
type room struct {
	t    testing.TB
	dir  string
	ws   *workspace.Workspace
	o    Options
	call tools.Call
}

func open1(t testing.TB, dir string) *room {
	t.Helper()
	ws, err := workspace.New(workspace.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	getenv := func(k string) string {
		switch k {
		case "PATH", "SystemRoot":
			return os.Getenv(k)
		case "GIT_CONFIG_NOSYSTEM":
			return "1"
		}
		return ""
	}
	return &room{t, dir, ws, Options{Workspace: ws, Getenv: getenv}, tools.Call{Thread: "t", Roots: []string{dir}}}
}

// build makes a workspace of files; a name that ends in a slash is a folder.
func build(t testing.TB, files map[string]string) *room {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder != path {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return open1(t, dir)
}

func (r *room) ask(tool tools.Tool, args map[string]any) (tools.Action, error) {
	r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	call := r.call
	call.Args = raw
	return tool.Prepare(context.Background(), call)
}

func (r *room) run(tool tools.Tool, args map[string]any) string {
	r.t.Helper()
	action, err := r.ask(tool, args)
	var refusal *tools.Refusal
	if errors.As(err, &refusal) {
		return refusal.Text
	}
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := action.Run(context.Background(), nil)
	if err != nil {
		r.t.Fatalf("%v: %v", args, err)
	}
	if res.Text == "" {
		r.t.Errorf("%v gave no text", args)
	}
	return res.Text
}

func hasRipgrep() bool {
	_, err := exec.LookPath("rg")
	return err == nil
}

// grep asks with ripgrep, where it is installed, and without, and wants one answer.
func (r *room) grep(args map[string]any) string {
	r.t.Helper()
	o := r.o
	o.NoRipgrep = true
	own := r.run(Grep(o), args)
	if hasRipgrep() {
		if with := r.run(Grep(r.o), args); with != own {
			r.t.Errorf("%v: with ripgrep\n%s\nwithout\n%s", args, with, own)
		}
	}
	return own
}

func (r *room) glob(args map[string]any) string {
	r.t.Helper()
	return r.run(Glob(r.o), args)
}

func (r *room) uri(name string) string {
	f, err := r.ws.Resolve(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return f.URI
}

func utf16(t testing.TB, s string) string {
	t.Helper()
	b, err := text.Encode(s, text.Format{Charset: text.CharsetUTF16LE, BOM: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
