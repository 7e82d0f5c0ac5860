package cells

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed notebook_edit.md
var doc string

type args struct {
	Path   string  `json:"path" desc:"Notebook (.ipynb), from the working folder or absolute."`
	Cell   string  `json:"cell,omitempty" desc:"The cell: its id, or its number from 0 on, as read shows them. With insert: the cell after which the new one goes. Default, for insert only: before the first."`
	Source *string `json:"source,omitempty" desc:"The whole new text of the cell. Default: as it is; not for delete."`
	Type   string  `json:"type,omitempty" enum:"code|markdown|raw" desc:"Type of the cell. Default: as it is; code for a new one."`
	Mode   string  `json:"mode,omitempty" enum:"replace|insert|delete" desc:"Default replace."`
}

type editor struct {
	ws   *workspace.Workspace
	form *schema.Schema
}

// New is the tool notebook_edit.
func New(ws *workspace.Workspace) tools.Tool { return editor{ws, schema.Form[args]()} }

func (editor) Spec() tools.Spec {
	return tools.Spec{
		Name: "notebook_edit", Title: "Edit a notebook", Description: strings.TrimSpace(doc), Input: schema.Of[args](),
		Finish: true, SearchHint: "Jupyter ipynb cell: replace, insert, delete",
	}
}

// Fit takes other spellings too, and a cell by a number that is no string.
func (t editor) Fit(raw json.RawMessage) (json.RawMessage, error) {
	raw = schema.Rename(raw, map[string]string{
		"notebook_path": "path", "file_path": "path", "filePath": "path", "cell_id": "cell", "cell_number": "cell", "cellId": "cell",
		"new_source": "source", "newSource": "source", "cell_type": "type", "cellType": "type", "edit_mode": "mode", "editMode": "mode",
	})
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return t.form.Fit(raw)
	}
	var n json.Number
	if json.Unmarshal(members["cell"], &n) == nil && n != "" && members["cell"][0] != '"' {
		members["cell"] = json.RawMessage(`"` + n.String() + `"`)
	}
	var lines []string
	if json.Unmarshal(members["source"], &lines) == nil && lines != nil { // as the file has it
		joined, err := json.Marshal(strings.Join(lines, ""))
		if err != nil {
			return nil, err
		}
		members["source"] = joined
	}
	out, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return t.form.Fit(out)
}

func (t editor) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, told, err := files.Locate(ctx, t.ws, call, a.Path)
	if err != nil {
		return tools.Action{}, err
	}
	snap, err := t.ws.Read(ctx, f.Path)
	if err != nil {
		return tools.Action{}, files.Refuse(f, err)
	}
	if !snap.Exists {
		return tools.Action{}, files.Missing(call, f)
	}
	action := tools.Action{
		Effects: []tools.Effect{files.Effect(tools.Write, f)}, Locks: []tools.Lock{{Resource: f.Path}},
		Activity: "Editing " + f.Rel, Locations: []tools.Location{{Path: f.Path}},
	}
	hash, read := t.ws.LastRead(call.Thread, f.Path)
	known := read && hash == snap.Hash
	m, err := t.plan(f, snap, a, read, known)
	if err != nil {
		// Why not tells what is in the file, which only a read may.
		action.Effects[0].Kind = tools.Read
		action.Run = func(context.Context, tools.Progress) (tools.Result, error) { return tools.Result{}, err }
		return action, nil
	}
	change := workspace.Change{
		Kind: workspace.Modify, Path: f.Path, Base: snap.Hash, Before: snap.Text, After: m.after, AllowOutside: f.Outside, Merge: true,
	}
	action.Preview.Diff = text.Unified("a/"+f.Rel, "b/"+f.Rel, change.Before, change.After, 3)
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		res, err := t.run(ctx, call, f, change, m, known)
		return files.Telling(told, res, err)
	}
	return action, nil
}

func (t editor) plan(f workspace.File, snap workspace.Snapshot, a args, read, known bool) (made, error) {
	b, err := open(f.Rel, snap.Text)
	if err != nil {
		return made{}, err
	}
	if a.Mode != "insert" && !known {
		why := "was not read in this thread"
		if read {
			why = "changed since you read it"
		}
		return made{}, tools.Fail(fmt.Sprintf("Not edited: %s %s, and a whole cell would be replaced. Read it first. %s", f.Rel, why, b.contents()))
	}
	return b.plan(f.Rel, a)
}

func (t editor) run(ctx context.Context, call tools.Call, f workspace.File, change workspace.Change, m made, known bool) (tools.Result, error) {
	applied, err := t.ws.Apply(ctx, "Edit "+f.Rel, []workspace.Change{change})
	if err != nil {
		return tools.Result{}, files.Refuse(f, err)
	}
	if known && !applied[0].Merged {
		t.ws.NoteRead(call.Thread, f.Path, applied[0].Hash)
	}
	said := m.told + ", in " + f.Rel + "."
	return tools.Result{
		Outcome: tools.OK, Changed: files.Changed(applied), Display: "Edited " + f.Rel,
		Text: said + files.Landing(applied[0], change.After),
	}, nil
}
