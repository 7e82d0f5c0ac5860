//go:build !windows

package move_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"companion/tools"
	"companion/tools/edit"
	"companion/tools/fs"
	"companion/tools/move"
	"companion/workspace"
)

// place is a root beside a folder that is none, and links between them.
type place struct {
	t             *testing.T
	root, outside string
	ws            *workspace.Workspace
}

func newPlace(t *testing.T) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, root: filepath.Join(top, "root"), outside: filepath.Join(top, "outside")}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"root/sub", "outside"} {
		must(os.MkdirAll(filepath.Join(top, d), 0o755))
	}
	for _, f := range []string{"root/in", "root/sub/in", "outside/out"} {
		must(os.WriteFile(filepath.Join(top, f), []byte("alpha\n"), 0o644))
	}
	must(os.Symlink("../outside", filepath.Join(p.root, "folder")))
	must(os.Symlink("../outside/out", filepath.Join(p.root, "final")))
	must(os.Symlink("../outside/new", filepath.Join(p.root, "dangling")))
	must(os.Symlink("sub", filepath.Join(p.root, "within")))
	must(syscall.Mkfifo(filepath.Join(p.root, "fifo"), 0o644))
	p.ws, err = workspace.New(workspace.Options{Roots: []string{p.root}})
	must(err)
	return p
}

// prepare makes the call that a tool needs for one path.
func (p place) prepare(name, path string) (tools.Action, error) {
	p.t.Helper()
	var tool tools.Tool
	var args any
	switch name {
	case "edit":
		tool, args = edit.New(p.ws), map[string]any{"path": path, "edits": []any{map[string]any{"old": "alpha", "new": "beta"}}}
	case "insert":
		tool, args = edit.New(p.ws), map[string]any{"path": path, "edits": []any{map[string]any{"old": "", "new": "beta"}}}
	case "write":
		tool, args = fs.Write(p.ws), map[string]any{"path": path, "content": "beta"}
	case "delete":
		tool, args = move.Delete(p.ws), map[string]any{"path": path}
	case "move from":
		tool, args = move.Move(p.ws), map[string]any{"from": path, "to": "elsewhere"}
	case "move to":
		tool, args = move.Move(p.ws), map[string]any{"from": "in", "to": path}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		p.t.Fatal(err)
	}
	return tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: []string{p.root}, Args: raw})
}

// A path that leads out of the roots, however it is written, is told as outside,
// so that policy asks.
func TestAPathThatLeadsOutIsToldAsOutside(t *testing.T) {
	top := newPlace(t)
	for path, calls := range map[string][]string{
		"../outside/out":                              {"edit", "delete", "move from"},
		"sub/../../outside/out":                       {"edit", "delete", "move from"},
		filepath.Join(top.outside, "out"):             {"edit", "delete", "move from"},
		"folder/out":                                  {"edit", "delete", "move from"},
		"file://" + filepath.Join(top.outside, "out"): {"edit", "delete"},
		"final":                  {"edit"},
		"dangling":               {"insert", "write"},
		"folder/fresh":           {"insert", "write", "move to"},
		"../outside/fresh":       {"write", "move to"},
		"folder/a/b/fresh":       {"write", "move to"},
		"~/companion-test-fresh": {"write", "move to"},
	} {
		for _, name := range calls {
			t.Run(name+" "+path, func(t *testing.T) {
				action, err := top.prepare(name, path)
				if err != nil {
					t.Fatal(err)
				}
				outside := false
				for _, e := range action.Effects {
					outside = outside || e.Kind == tools.Write && e.Outside
				}
				if !outside {
					t.Errorf("effects: %+v", action.Effects)
				}
			})
		}
	}
	for _, path := range []string{"in", "./sub/../in", "within/in", filepath.Join(top.root, "in"), "sub/../sub/in"} {
		action, err := top.prepare("edit", path)
		if err != nil || action.Effects[0].Outside || action.Effects[0].Kind != tools.Write {
			t.Errorf("%s: %+v, %v", path, action.Effects, err)
		}
	}
	// The link itself lies inside, whatever it leads to.
	action, err := top.prepare("delete", "final")
	if err != nil || action.Effects[0].Outside || action.Effects[0].Path != filepath.Join(top.root, "final") {
		t.Errorf("%+v, %v", action.Effects, err)
	}
}

// A folder or a file that is swapped for a link between preparation and run
// leads nowhere.
func TestAPathThatIsSwappedAfterPreparationLeadsNowhere(t *testing.T) {
	for _, name := range []string{"edit", "write", "delete", "move from", "move to"} {
		for _, swap := range []string{"folder", "file"} {
			t.Run(name+" "+swap, func(t *testing.T) {
				p := newPlace(t)
				path := "sub/in"
				if name == "write" || name == "move to" {
					path = "sub/out2"
				}
				action, err := p.prepare(name, path)
				if err != nil {
					t.Fatal(err)
				}
				victim := filepath.Join(p.outside, filepath.Base(path))
				if err := os.WriteFile(victim, []byte("alpha\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				if swap == "folder" {
					err = errors.Join(os.Rename(filepath.Join(p.root, "sub"), filepath.Join(p.root, "sub2")), os.Symlink(p.outside, filepath.Join(p.root, "sub")))
				} else {
					_ = os.Remove(filepath.Join(p.root, path))
					err = os.Symlink(victim, filepath.Join(p.root, path))
				}
				if err != nil {
					t.Fatal(err)
				}
				if res, err := action.Run(context.Background(), nil); err == nil {
					t.Errorf("it ran: %s", res.Text)
				}
				if got, err := os.ReadFile(victim); err != nil || string(got) != "alpha\n" {
					t.Errorf("the file outside: %q, %v", got, err)
				}
			})
		}
	}
}

func TestWhatIsNoFileIsRefusedAtOnce(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"edit", "write", "delete", "move from"} {
		for _, path := range []string{"fifo", "/dev/null", "/dev/zero", "sub"} {
			action, err := p.prepare(name, path)
			if err == nil {
				_, err = action.Run(context.Background(), nil)
			}
			var r *tools.Refusal
			if !errors.As(err, &r) {
				t.Errorf("%s %s: %v", name, path, err)
			}
		}
	}
}

// HB-083: read, edit, edit, write, edit, with nobody else about.
func TestOurOwnChangesAreNotToldAsThoseOfOthers(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.root, "in")
	snap, err := p.ws.Read(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	p.ws.NoteRead("t", path, snap.Hash)
	for i, call := range []struct {
		tool tools.Tool
		args string
	}{
		{edit.New(p.ws), `{"path":"in","edits":[{"old":"alpha","new":"beta"}]}`},
		{edit.New(p.ws), `{"path":"./in","edits":[{"old":"  beta","new":"  gamma"}]}`}, // tolerant: it must count as read
		{fs.Write(p.ws), `{"path":"in","content":"one\ntwo\n"}`},
		{edit.New(p.ws), `{"path":"within/../in","edits":[{"old":"\ttwo","new":"\tthree"}]}`},
		{move.Move(p.ws), `{"from":"in","to":"out"}`},
		{edit.New(p.ws), `{"path":"out","edits":[{"old":"\tthree","new":"\tfour"}]}`},
		{fs.Write(p.ws), `{"path":"out","content":"done\n"}`},
	} {
		action, err := call.tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: []string{p.root}, Args: json.RawMessage(call.args)})
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		res, err := action.Run(context.Background(), nil)
		if err != nil || strings.Contains(res.Text, "since you") || strings.Contains(res.Text, "by others") {
			t.Fatalf("%d: %v %s", i, err, res.Text)
		}
	}
	if got, err := os.ReadFile(filepath.Join(p.root, "out")); err != nil || string(got) != "done\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAFileThatIsReadOnlyIsNotChanged(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.root, "in")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	action, err := p.prepare("edit", "in")
	if err == nil {
		_, err = action.Run(context.Background(), nil)
	}
	var r *tools.Refusal
	if got, readErr := os.ReadFile(path); !errors.As(err, &r) || readErr != nil || string(got) != "alpha\n" {
		t.Errorf("%v: %q, %v", err, got, readErr)
	}
}
