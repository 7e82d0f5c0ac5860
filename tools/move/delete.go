package move

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed delete.md
var deleteDoc string

type deleteArgs struct {
	Path string `json:"path" desc:"File to delete, from the working folder or absolute."`
}

type remover struct {
	ws   *workspace.Workspace
	form *schema.Schema
}

// Delete is the tool delete.
func Delete(ws *workspace.Workspace) tools.Tool {
	return remover{ws, compiled(schema.Of[deleteArgs]())}
}

// compiled is the schema of arguments of ours; one that does not compile is a
// bug and panics.
func compiled(input json.RawMessage) *schema.Schema {
	form, err := schema.Compile(input)
	if err != nil {
		panic(fmt.Sprintf("move: %v", err))
	}
	return form
}

func (remover) Spec() tools.Spec {
	return tools.Spec{
		Name: "delete", Title: "Delete a file", Description: strings.TrimSpace(deleteDoc), Input: schema.Of[deleteArgs](),
		Destructive: true, Finish: true, SearchHint: "remove unlink rm a file",
	}
}

// Fit takes other spellings of path too.
func (t remover) Fit(raw json.RawMessage) (json.RawMessage, error) {
	return t.form.Fit(schema.Rename(raw, map[string]string{"file_path": "path", "filePath": "path", "file": "path", "filename": "path"}))
}

func (t remover) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[deleteArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if l, ok := files.Link(t.ws, call, a.Path); ok {
		return t.link(l), nil
	}
	s, err := take(ctx, t.ws, call, a.Path)
	if err != nil {
		return tools.Action{}, err
	}
	action := tools.Action{
		Effects: []tools.Effect{files.Effect(tools.Write, s.File)}, Locks: []tools.Lock{{Resource: s.Path}},
		Activity: "Deleting " + s.Rel, Locations: []tools.Location{{Path: s.Path, Line: 1}},
		Preview: tools.Preview{Text: "Delete " + s.Rel, Diff: text.Unified("a/"+s.Rel, "/dev/null", s.Text, "", 3)},
	}
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		res, err := t.run(ctx, s)
		return files.Telling(s.told, res, err)
	}
	return action, nil
}

func (t remover) run(ctx context.Context, s source) (tools.Result, error) {
	if err := s.still(ctx, t.ws); err != nil {
		return tools.Result{}, err
	}
	applied, err := t.ws.Apply(ctx, "Delete "+s.Rel, []workspace.Change{
		{Kind: workspace.Delete, Path: s.Path, Base: s.Hash, AllowOutside: s.Outside},
	})
	if err != nil {
		return tools.Result{}, files.Refuse(s.File, err)
	}
	res := tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("Deleted %s (%d lines).", s.Rel, count(s.Text)), Display: "Deleted " + s.Rel}
	if s.binary {
		res.Text = fmt.Sprintf("Deleted %s. It was no text, so that undoing the turn does not bring it back.", s.Rel)
		return res, nil
	}
	res.Changed = files.Changed(applied)
	return res, nil
}

func (t remover) link(l workspace.Link) tools.Action {
	return tools.Action{
		Effects: []tools.Effect{files.Effect(tools.Write, l.File)}, Locks: []tools.Lock{{Resource: l.Path}},
		Activity: "Deleting " + l.Rel, Locations: []tools.Location{{Path: l.Path}},
		Preview: tools.Preview{Text: fmt.Sprintf("Delete the link %s → %s (not what it leads to)", l.Rel, l.Target)},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			if err := t.ws.RemoveLink(ctx, l, l.Outside); err != nil {
				return tools.Result{}, files.Refuse(l.File, err)
			}
			return tools.Result{
				Outcome: tools.OK, Display: "Deleted " + l.Rel,
				Text: fmt.Sprintf("Deleted the link %s, which led to %s; what it led to is as it was. Undoing the turn does not bring a link back.", l.Rel, l.Target),
			}, nil
		},
	}
}

func count(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}

// source is the file that is deleted or moved, as it was found.
type source struct {
	workspace.Snapshot
	binary bool
	told   string // of its name, which was written otherwise
}

// take finds the file that a path names; a folder, a device and what is too
// large are refused.
func take(ctx context.Context, ws *workspace.Workspace, call tools.Call, path string) (source, error) {
	f, told, err := files.Locate(ctx, ws, call, path)
	if err != nil {
		return source{}, err
	}
	snap, err := ws.Read(ctx, f.Path)
	snap.File = f
	switch {
	case errors.Is(err, workspace.ErrBinary):
		return source{snap, true, told}, nil
	case errors.Is(err, workspace.ErrNotFile):
		if refusal := folder(f); refusal != nil {
			return source{}, refusal
		}
		return source{}, files.Refuse(f, err)
	case err != nil:
		return source{}, files.Refuse(f, err)
	case !snap.Exists:
		return source{}, files.Missing(call, f)
	}
	return source{snap, false, told}, nil
}

// still refuses a file that came to hold other text since it was found, or
// became text: the model did not see that.
func (s source) still(ctx context.Context, ws *workspace.Workspace) error {
	now, err := ws.Read(ctx, s.Path)
	if errors.Is(err, workspace.ErrBinary) && s.binary {
		return nil
	}
	if err != nil {
		return files.Refuse(s.File, err)
	}
	if s.binary || !now.Exists || now.Hash != s.Hash {
		return files.Refuse(s.File, workspace.ErrStale)
	}
	return nil
}
