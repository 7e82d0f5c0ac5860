package move

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed move.md
var moveDoc string

type moveArgs struct {
	From string `json:"from" desc:"File to move or rename, from the working folder or absolute."`
	To   string `json:"to" desc:"Its new path, or a folder that exists; missing folders are made."`
}

type mover struct {
	ws   *workspace.Workspace
	form *schema.Schema
}

// Move is the tool move.
func Move(ws *workspace.Workspace) tools.Tool { return mover{ws, compiled(schema.Of[moveArgs]())} }

func (mover) Spec() tools.Spec {
	return tools.Spec{
		Name: "move", Title: "Move a file", Description: strings.TrimSpace(moveDoc), Input: schema.Of[moveArgs](),
		Finish: true, SearchHint: "rename mv a file to another path",
	}
}

// Fit takes other spellings of from and to too.
func (t mover) Fit(raw json.RawMessage) (json.RawMessage, error) {
	return t.form.Fit(schema.Rename(raw, map[string]string{
		"source": "from", "src": "from", "old_path": "from", "oldPath": "from", "path": "from",
		"destination": "to", "dest": "to", "target": "to", "new_path": "to", "newPath": "to",
	}))
}

func (t mover) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[moveArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if strings.TrimSpace(a.To) == "" {
		return tools.Action{}, tools.Fail("Not moved: to is empty. Give the new path.")
	}
	link, isLink := files.Link(t.ws, call, a.From)
	var s source
	if isLink {
		s.File = link.File
	} else if s, err = take(ctx, t.ws, call, a.From); err != nil {
		return tools.Action{}, err
	}
	to, target, err := t.target(call, s.File, a.To)
	if err != nil {
		return tools.Action{}, err
	}
	recase := !isLink && t.ws.SameName(s.Path, to)
	if err := t.vacant(call, s.File, target, to, recase); err != nil {
		return tools.Action{}, err
	}
	action := tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Write, s.File), files.Effect(tools.Write, target)},
		Locks:     []tools.Lock{{Resource: s.Path}, {Resource: target.Path}},
		Activity:  fmt.Sprintf("Moving %s to %s", s.Rel, target.Rel),
		Locations: []tools.Location{{Path: target.Path, Line: 1}},
		Preview:   tools.Preview{Text: fmt.Sprintf("Move %s to %s", s.Rel, target.Rel)},
	}
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		switch {
		case isLink:
			return t.link(ctx, link, target, to)
		case recase:
			return t.recase(ctx, s, filepath.Base(to))
		}
		res, err := t.run(ctx, call, s, target)
		return files.Telling(s.told, res, err)
	}
	return action, nil
}

// target names the file that to means: below a folder that exists, or that a
// slash at its end says, the name stays. It gives the path as it was meant, and
// the file that this is.
func (t mover) target(call tools.Call, from workspace.File, to string) (string, workspace.File, error) {
	f, err := files.Resolve(t.ws, call, to)
	if err != nil {
		return "", f, err
	}
	path := files.Absolute(call, to)
	info, statErr := os.Stat(f.Path)
	if statErr == nil && info.IsDir() || strings.HasSuffix(to, "/") || strings.HasSuffix(to, string(filepath.Separator)) {
		if statErr == nil && !info.IsDir() {
			return "", f, tools.Fail(fmt.Sprintf("Not moved: %s is a file, not a folder.", f.Rel))
		}
		path = filepath.Join(path, filepath.Base(from.Path))
		if f, err = files.Resolve(t.ws, call, path); err != nil {
			return "", f, err
		}
	}
	return path, f, nil
}

// vacant refuses a target at which something is already.
func (t mover) vacant(call tools.Call, from, target workspace.File, to string, recase bool) error {
	if recase {
		return nil
	}
	if target.Path == from.Path {
		return tools.Fail(fmt.Sprintf("Not moved: from and to are one file, %s.", from.Rel))
	}
	if l, ok := files.Link(t.ws, call, to); ok {
		return tools.Fail(fmt.Sprintf("Not moved: %s is there already, a link to %s. Choose another name, or delete it first.", l.Rel, l.Target))
	}
	info, err := os.Lstat(target.Path)
	if d, open := t.ws.Document(target.URI); open && d.Path == target.Path || err == nil {
		kind := "file"
		if err == nil && info.IsDir() {
			kind = "folder"
		}
		return tools.Fail(fmt.Sprintf("Not moved: there is a %s %s already, and it is not replaced. Choose another name, or delete it first if it may go.", kind, target.Rel))
	}
	return nil
}

func (t mover) run(ctx context.Context, call tools.Call, s source, target workspace.File) (tools.Result, error) {
	if err := s.still(ctx, t.ws); err != nil {
		return tools.Result{}, err
	}
	applied, err := t.ws.Apply(ctx, fmt.Sprintf("Move %s to %s", s.Rel, target.Rel), []workspace.Change{
		{Kind: workspace.Rename, Path: target.Path, From: s.Path, Base: s.Hash, AllowOutside: s.Outside || target.Outside},
	})
	if errors.Is(err, workspace.ErrExists) {
		return tools.Result{}, tools.Fail(fmt.Sprintf("Not moved: something came to be at %s meanwhile, and it is not replaced.", target.Rel))
	}
	if err != nil {
		return tools.Result{}, files.Refuse(s.File, err)
	}
	res := moved(s.File, target)
	if s.binary {
		res.Text += " It is no text, so that undoing the turn does not move it back."
		return res, nil
	}
	if hash, ok := t.ws.LastRead(call.Thread, s.Path); ok && hash == s.Hash {
		t.ws.NoteRead(call.Thread, target.Path, applied[0].Hash)
	}
	if applied[0].Buffer && !applied[0].Saved {
		res.Text += " What was unsaved in the editor is unsaved under the new name."
	}
	res.Changed = files.Changed(applied)
	return res, nil
}

func moved(from, to workspace.File) tools.Result {
	text := fmt.Sprintf("Moved %s to %s.", from.Rel, to.Rel)
	return tools.Result{Outcome: tools.OK, Text: text + " Imports and other mentions of it were not changed.", Display: text}
}

func (t mover) link(ctx context.Context, l workspace.Link, target workspace.File, to string) (tools.Result, error) {
	if err := t.ws.MoveLink(ctx, l, to, l.Outside || target.Outside); err != nil {
		return tools.Result{}, files.Refuse(l.File, err)
	}
	res := moved(l.File, target)
	res.Text = fmt.Sprintf("Moved the link %s to %s; it says %s as before. Undoing the turn does not move a link back.", l.Rel, target.Rel, l.Target)
	if _, err := os.Stat(target.Path); err != nil {
		res.Text += " From there it leads to nothing."
	}
	return res, nil
}

// recase changes upper and lower case of a name where the system does not tell
// them apart.
func (t mover) recase(ctx context.Context, s source, name string) (tools.Result, error) {
	if err := s.still(ctx, t.ws); err != nil {
		return tools.Result{}, err
	}
	if err := t.ws.Recase(ctx, s.File, name, s.Outside); err != nil {
		return tools.Result{}, files.Refuse(s.File, err)
	}
	to := s.File
	to.Rel = strings.TrimSuffix(s.Rel, filepath.Base(s.Path)) + name
	res := moved(s.File, to)
	res.Text += " Undoing the turn does not bring the old spelling back."
	return res, nil
}
