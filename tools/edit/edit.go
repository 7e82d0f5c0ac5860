package edit

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/endings"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed edit.md
var doc string

type edit struct {
	ws   *workspace.Workspace
	form *schema.Schema
}

// New is the tool edit.
func New(ws *workspace.Workspace) tools.Tool { return edit{ws, schema.Form[args]()} }

func (edit) Spec() tools.Spec {
	return tools.Spec{
		Name: "edit", Title: "Edit a file", Description: strings.TrimSpace(doc), Input: schema.Of[args](), Finish: true,
		Serves: "edit", SearchHint: "change replace insert delete text in a file",
		Examples: []json.RawMessage{json.RawMessage(`{"path":"main.go","edits":[{"old":"return nil\n}","new":"return err\n}"}]}`)},
	}
}

// plan is one prepared edit: either a change, or why there is none.
type plan struct {
	file   workspace.File
	snap   workspace.Snapshot
	change workspace.Change
	made
	shown string // the diff
	moved bool   // others changed the file since this thread read it
	known bool   // this thread read it, and nobody else changed it since
}

func (t edit) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, told, err := files.Locate(ctx, t.ws, call, a.Path)
	if err != nil {
		return tools.Action{}, err
	}
	p, err := t.plan(ctx, call, a, f)
	if err != nil {
		return tools.Action{}, err
	}
	action := tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Write, f)},
		Locks:     []tools.Lock{{Resource: f.Path}},
		Activity:  "Editing " + f.Rel,
		Locations: []tools.Location{{Path: f.Path}},
	}
	if p.none != nil || p.done != "" {
		// Saying what is there instead only reads: a person need not be asked,
		// but a file that may not be read must not be told of.
		action.Effects[0].Kind = tools.Read
		action.Run = func(context.Context, tools.Progress) (tools.Result, error) {
			res, err := p.without()
			return files.Telling(told, res, err)
		}
		return action, nil
	}
	action.Locations[0].Line = p.places[0]
	p.shown = p.diff()
	action.Preview.Diff = p.shown
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		res, err := t.run(ctx, call, p)
		return files.Telling(told, res, err)
	}
	return action, nil
}

func (t edit) plan(ctx context.Context, call tools.Call, a args, f workspace.File) (*plan, error) {
	p := &plan{file: f}
	var err error
	if p.snap, err = t.ws.Read(ctx, f.Path); err != nil {
		return nil, files.Refuse(f, err)
	}
	hash, read := t.ws.LastRead(call.Thread, f.Path)
	p.known = read && hash == p.snap.Hash
	p.moved = read && !p.known
	if !p.snap.Exists && (len(a.Edits) != 1 || a.Edits[0].Old != "") {
		p.none = files.Missing(call, f)
		return p, nil
	}
	r := t.rules(p)
	var style endings.Style
	if p.snap.Text == "" || !strings.ContainsAny(p.snap.Text, "\r\n") {
		style = endings.Of(ctx, t.ws, f.Path)
		r.ending = style.Ending
	}
	p.made = replaceAll(p.snap.Text, a.Edits, r)
	p.change = workspace.Change{
		Kind: workspace.Modify, Path: f.Path, Base: p.snap.Hash, Before: p.snap.Text, After: p.after, AllowOutside: f.Outside, Merge: true,
	}
	if !p.snap.Exists {
		p.change.Kind, p.change.Base = workspace.Create, ""
		p.change.After, p.change.Format, _ = style.New(p.after)
	}
	return p, nil
}

// rules of the edits of one file: a text that the model has not seen as it is
// now is changed where it fits exactly, and nowhere else.
func (edit) rules(p *plan) rules {
	r := rules{name: p.file.Rel, indented: indented(p.file.Path)}
	switch {
	case p.snap.Text == "" || p.known:
	case p.moved:
		r.moved = true
		r.exact = "The file changed since you last read it, so only an exact and unique match is made."
	default:
		r.exact = "You have not read it in this thread, so only an exact and unique match is made."
	}
	return r
}

// indented tells whether indentation is syntax in files of a name.
func indented(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py", ".pyi", ".pyx", ".yml", ".yaml", ".nim", ".fs", ".fsx", ".hs", ".elm", ".haml", ".pug", ".sass", ".slim", ".coffee", ".rst", ".gd":
		return true
	}
	return false
}

// without is the result of edits that change nothing.
func (p *plan) without() (tools.Result, error) {
	if p.none == nil {
		return tools.Result{Outcome: tools.OK, Text: p.done}, nil
	}
	return tools.Result{}, p.none
}

func (p *plan) diff() string {
	oldName := "a/" + p.file.Rel
	if p.change.Kind == workspace.Create {
		oldName = "/dev/null"
	}
	return text.Unified(oldName, "b/"+p.file.Rel, p.change.Before, p.change.After, 3)
}

func (t edit) run(ctx context.Context, call tools.Call, p *plan) (tools.Result, error) {
	applied, err := t.ws.Apply(ctx, "Edit "+p.file.Rel, []workspace.Change{p.change})
	if err != nil {
		return tools.Result{}, files.Refuse(p.file, err)
	}
	if !applied[0].Merged && (p.known || p.snap.Text == "") { // else the model has not seen what else is in it
		t.ws.NoteRead(call.Thread, p.file.Path, applied[0].Hash)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Edited %s: %s, at line %s.", p.file.Rel, count(len(p.places), "replacement"), listed(p.places))
	if p.moved {
		b.WriteString(" The file had changed since you last read it; the edit was made on its present text.")
	}
	b.WriteString(files.Landing(applied[0], p.change.After))
	b.WriteString(files.Markers(p.change.Before, p.change.After))
	for _, note := range p.notes {
		b.WriteString("\n" + note)
	}
	b.WriteString("\n\n" + clip(p.shown))
	return tools.Result{
		Outcome: tools.OK, Text: b.String(), Changed: files.Changed(applied),
		Display: fmt.Sprintf("Edited %s (%s)", p.file.Rel, count(len(p.places), "replacement")),
	}, nil
}

// clipLines is how many lines of a diff are shown: the model wrote them itself.
const clipLines = 80

func clip(diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) <= clipLines {
		return diff
	}
	return strings.Join(lines[:clipLines], "") + fmt.Sprintf("… (%d more lines of the diff are not shown)\n", len(lines)-clipLines)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
