package move

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

type bench struct {
	t    *testing.T
	root string
	ws   *workspace.Workspace
}

func newBench(t *testing.T, names ...string) bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text of "+name+"\r\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	return bench{t, root, ws}
}

// tree is every path below the root with what it is.
func (b bench) tree() string {
	b.t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == b.root {
			return err
		}
		rel, _ := filepath.Rel(b.root, path)
		out.WriteString(filepath.ToSlash(rel))
		info, err := d.Info()
		if err != nil {
			return err
		}
		out.WriteString(" " + info.Mode().String())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out.WriteString(" " + string(data))
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			out.WriteString(" -> " + to)
		}
		out.WriteString("\n")
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out.String()
}

func (b bench) prepare(tool tools.Tool, args map[string]string) (tools.Action, error) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	if raw, err = tool.(tools.Fitter).Fit(raw); err != nil {
		b.t.Fatal(err)
	}
	return tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: []string{b.root}, Args: raw})
}

func (b bench) call(tool tools.Tool, args map[string]string) (tools.Action, tools.Result) {
	b.t.Helper()
	action, err := b.prepare(tool, args)
	if err != nil {
		return action, b.refused(err)
	}
	return action, b.run(action)
}

func (b bench) run(action tools.Action) tools.Result {
	b.t.Helper()
	res, err := action.Run(context.Background(), nil)
	if err != nil {
		return b.refused(err)
	}
	return res
}

func (b bench) refused(err error) tools.Result {
	b.t.Helper()
	var r *tools.Refusal
	if !errors.As(err, &r) {
		b.t.Fatalf("the turn would end: %v", err)
	}
	return tools.Result{Outcome: r.Outcome, Text: r.Text}
}

func (b bench) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
}

func TestAFileIsDeletedAndToldForTheUndo(t *testing.T) {
	for _, name := range []string{"a.go", "app/[id]/page.tsx", "a b+c%20.txt", "-rf"} {
		b := newBench(t, name, "other")
		action, res := b.call(Delete(b.ws), map[string]string{"path": name})
		want(t, res, tools.OK, "Deleted "+name)
		if _, err := os.Lstat(b.path(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
		if len(res.Changed) != 1 || !res.Changed[0].Deleted || res.Changed[0].Before != "text of "+name+"\r\n" {
			t.Errorf("changed: %+v", res.Changed)
		}
		if len(action.Effects) != 1 || action.Effects[0].Kind != tools.Write || !strings.Contains(action.Preview.Diff, "-text of") {
			t.Errorf("effects %v, diff %q", action.Effects, action.Preview.Diff)
		}
	}
}

func TestAFileIsMovedWithAllThatItIs(t *testing.T) {
	for name, c := range map[string]struct{ from, to, at string }{
		"beside":                  {"a.sh", "b.sh", "b.sh"},
		"to folders that are not": {"a.sh", "x/y/b.sh", "x/y/b.sh"},
		"into a folder":           {"a.sh", "dir", "dir/a.sh"},
		"into a folder, slash":    {"a.sh", "new/", "new/a.sh"},
		"case only":               {"a.sh", "A.sh", "A.sh"},
		"brackets":                {"[a].sh", "[b] (c).sh", "[b] (c).sh"},
		"other spelling":          {"./dir/../a.sh", "dir/../b.sh", "b.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "a.sh", "[a].sh", "dir/f")
			raw := []byte("\xef\xbb\xbf#!/bin/sh\r\ncaf\xc3\xa9\nlast")
			for _, n := range []string{"a.sh", "[a].sh"} {
				if err := os.WriteFile(b.path(n), raw, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(b.path(n), 0o750); err != nil {
					t.Fatal(err)
				}
			}
			action, res := b.call(Move(b.ws), map[string]string{"from": c.from, "to": c.to})
			want(t, res, tools.OK, "Moved ", " to "+c.at)
			got, err := os.ReadFile(b.path(c.at))
			if err != nil || string(got) != string(raw) {
				t.Fatalf("%q, %v", got, err)
			}
			if info, err := os.Stat(b.path(c.at)); err != nil || info.Mode().Perm() != 0o750 && os.PathSeparator == '/' {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if _, err := os.Lstat(b.path(c.from)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old name is there: %v", err)
			}
			if len(res.Changed) != 1 || res.Changed[0].From != b.path(filepath.Clean(c.from)) || res.Changed[0].Path != b.path(c.at) || res.Changed[0].Before != res.Changed[0].After {
				t.Errorf("changed: %+v", res.Changed)
			}
			if len(action.Effects) != 2 || len(action.Locks) != 2 {
				t.Errorf("effects %v, locks %v", action.Effects, action.Locks)
			}
		})
	}
}

// Property: a call that reports failure leaves the tree bit for bit.
func TestWhatIsRefusedChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		tool  func(*workspace.Workspace) tools.Tool
		args  map[string]string
		words []string
	}{
		"delete nothing":             {Delete, map[string]string{"path": "nope"}, []string{"There is no file nope"}},
		"delete a near name":         {Delete, map[string]string{"path": "on"}, []string{"one"}},
		"delete a folder":            {Delete, map[string]string{"path": "dir"}, []string{"a folder, with files: 2", "x, y"}},
		"delete the root":            {Delete, map[string]string{"path": "."}, []string{"a folder"}},
		"delete an empty folder":     {Delete, map[string]string{"path": "empty"}, []string{"a folder without files"}},
		"delete below a file":        {Delete, map[string]string{"path": "one/x"}, []string{"There is no file"}},
		"move over a file":           {Move, map[string]string{"from": "one", "to": "two"}, []string{"there is a file two already", "not replaced"}},
		"move over a link":           {Move, map[string]string{"from": "one", "to": "link"}, []string{"a link to two"}},
		"move over a dangling link":  {Move, map[string]string{"from": "one", "to": "dangling"}, []string{"a link to nowhere"}},
		"move onto itself":           {Move, map[string]string{"from": "one", "to": "./dir/../one"}, []string{"one file"}},
		"move a folder":              {Move, map[string]string{"from": "dir", "to": "d2"}, []string{"a folder, with files"}},
		"move nothing":               {Move, map[string]string{"from": "nope", "to": "x"}, []string{"There is no file"}},
		"move to nothing":            {Move, map[string]string{"from": "one", "to": " "}, []string{"to is empty"}},
		"move below a file":          {Move, map[string]string{"from": "one", "to": "two/x"}, []string{"Not done"}},
		"move into a file, as slash": {Move, map[string]string{"from": "one", "to": "two/"}, []string{"a file, not a folder"}},
		"move into, where one is":    {Move, map[string]string{"from": "x", "to": "dir"}, []string{"there is a file dir/x already"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "one", "two", "x", "dir/x", "dir/y")
			for link, to := range map[string]string{"link": "two", "dangling": "nowhere"} {
				if err := os.Symlink(to, b.path(link)); err != nil {
					t.Skip("no symlinks here:", err)
				}
			}
			if err := os.Mkdir(b.path("empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			before := b.tree()
			_, res := b.call(c.tool(b.ws), c.args)
			want(t, res, tools.Failed, c.words...)
			if after := b.tree(); after != before {
				t.Errorf("the tree changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

func TestALinkIsTakenItself(t *testing.T) {
	b := newBench(t, "real", "dir/inside")
	for link, to := range map[string]string{"link": "real", "folder": "dir", "dangling": "nowhere", "mv": "real"} {
		if err := os.Symlink(to, b.path(link)); err != nil {
			t.Skip("no symlinks here:", err)
		}
	}
	for _, name := range []string{"link", "folder", "dangling"} {
		action, res := b.call(Delete(b.ws), map[string]string{"path": name})
		want(t, res, tools.OK, "Deleted the link "+name)
		if action.Effects[0].Path != b.path(name) || len(res.Changed) > 0 {
			t.Errorf("%v %v", action.Effects, res.Changed)
		}
	}
	_, res := b.call(Move(b.ws), map[string]string{"from": "mv", "to": "sub/mv2"})
	want(t, res, tools.OK, "Moved the link mv to sub/mv2", "leads to nothing")
	if got := b.tree(); strings.Contains(got, "dangling") || !strings.Contains(got, "sub/mv2 L") || !strings.Contains(got, "text of real") || !strings.Contains(got, "text of dir/inside") {
		t.Error(got)
	}
}

// A binary file is moved byte for byte, and deleted; no undo is promised.
func TestABinaryFileIsMovedAndDeleted(t *testing.T) {
	b := newBench(t)
	data := "\x89PNG\r\n\x1a\n\x00\x00\xff"
	if err := os.WriteFile(b.path("a.png"), []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	_, res := b.call(Move(b.ws), map[string]string{"from": "a.png", "to": "img/b.png"})
	want(t, res, tools.OK, "does not move it back")
	if got, err := os.ReadFile(b.path("img/b.png")); err != nil || string(got) != data {
		t.Fatalf("%q, %v", got, err)
	}
	_, res = b.call(Delete(b.ws), map[string]string{"path": "img/b.png"})
	want(t, res, tools.OK, "does not bring it back")
	if len(res.Changed) > 0 {
		t.Error("an undo would make an empty file of it")
	}
}

func TestAFileThatChangedSincePreparationStays(t *testing.T) {
	for name, tool := range map[string]func(*workspace.Workspace) tools.Tool{"delete": Delete, "move": Move} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "a")
			args := map[string]string{"path": "a"}
			if name == "move" {
				args = map[string]string{"from": "a", "to": "b"}
			}
			action, err := b.prepare(tool(b.ws), args)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(b.path("a"), []byte("precious"), 0o644); err != nil {
				t.Fatal(err)
			}
			before := b.tree()
			want(t, b.run(action), tools.Failed, "changed in the meantime")
			if b.tree() != before {
				t.Error(b.tree())
			}
		})
	}
	b := newBench(t, "a")
	action, err := b.prepare(Move(b.ws), map[string]string{"from": "a", "to": "b"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path("b"), []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	want(t, b.run(action), tools.Failed, "came to be at b", "not replaced")
	if got := b.tree(); !strings.Contains(got, "precious") || !strings.Contains(got, "text of a") {
		t.Error(got)
	}
}

func TestUnsavedTextIsNotDeleted(t *testing.T) {
	b := newBench(t, "a")
	f, err := b.ws.Resolve("a")
	if err != nil {
		t.Fatal(err)
	}
	b.ws.DidOpen(f.URI, "plaintext", 1, "typed, not saved")
	before := b.tree()
	_, res := b.call(Delete(b.ws), map[string]string{"path": "a"})
	want(t, res, tools.Failed, "unsaved")
	_, res = b.call(Move(b.ws), map[string]string{"from": "a", "to": "b"})
	want(t, res, tools.Failed, "unsaved")
	if b.tree() != before {
		t.Error(b.tree())
	}
}

// What was read under the old name is read under the new one.
func TestAMoveKeepsThatAFileWasRead(t *testing.T) {
	b := newBench(t, "a")
	snap, err := b.ws.Read(context.Background(), b.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	b.ws.NoteRead("t", b.path("a"), snap.Hash)
	_, res := b.call(Move(b.ws), map[string]string{"from": "a", "to": "b"})
	want(t, res, tools.OK)
	if hash, ok := b.ws.LastRead("t", b.path("b")); !ok || hash != snap.Hash {
		t.Errorf("%q %v", hash, ok)
	}
}
