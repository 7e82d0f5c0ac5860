package edit

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

//go:embed edit.md
var doc string

type args struct {
	Path  string        `json:"path" desc:"File to edit, from the working folder or absolute."`
	Edits []replacement `json:"edits" min:"1" desc:"Replacements, in order; one or more."`
}

type replacement struct {
	Old string `json:"old" desc:"Text to replace, exactly as the file has it. Empty only for a file that is missing or empty."`
	New string `json:"new" desc:"Text to put there, taken literally."`
	All bool   `json:"all,omitempty" desc:"Replace every occurrence. Default false: old must occur once."`
}

type edit struct{ ws *workspace.Workspace }

// New is the tool edit.
func New(ws *workspace.Workspace) tools.Tool { return edit{ws} }

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
	places []int          // 1-based lines of the new text where replacements begin
	none   *tools.Refusal // the edits do not fit
	done   string         // the edits are in the file already
	moved  bool           // others changed the file since this thread read it
}

func (t edit) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, err := files.Resolve(t.ws, call, a.Path)
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
		action.Run = func(context.Context, tools.Progress) (tools.Result, error) { return p.without() }
		return action, nil
	}
	action.Locations[0].Line = p.places[0]
	action.Preview.Diff = p.diff()
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) { return t.run(ctx, call, p) }
	return action, nil
}

func (t edit) plan(ctx context.Context, call tools.Call, a args, f workspace.File) (*plan, error) {
	p := &plan{file: f}
	var err error
	if p.snap, err = t.ws.Read(ctx, f.Path); err != nil {
		return nil, files.Refuse(f, err)
	}
	if hash, ok := t.ws.LastRead(call.Thread, f.Path); ok && hash != p.snap.Hash {
		p.moved = true
	}
	if !p.snap.Exists && (len(a.Edits) != 1 || a.Edits[0].Old != "") {
		p.none = files.Missing(call, f)
		return p, nil
	}
	after, places, none, done := replaceAll(p.snap.Text, a.Edits, f.Rel)
	p.none, p.done, p.places = none, done, places
	p.change = workspace.Change{
		Kind: workspace.Modify, Path: f.Path, Base: p.snap.Hash, Before: p.snap.Text, After: after, AllowOutside: f.Outside, Merge: true,
	}
	if !p.snap.Exists {
		p.change.Kind, p.change.Base = workspace.Create, ""
	}
	return p, nil
}

// without is the result of edits that change nothing.
func (p *plan) without() (tools.Result, error) {
	if p.none == nil {
		return tools.Result{Outcome: tools.OK, Text: p.done}, nil
	}
	text := p.none.Text
	if p.moved {
		text += " The file changed since you last read it."
	}
	return tools.Result{}, tools.Fail(text)
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
	if !applied[0].Merged { // the model has not seen what else is in a merged text
		t.ws.NoteRead(call.Thread, p.file.Path, applied[0].Hash)
	}
	lines := make([]string, len(p.places))
	for i, l := range p.places {
		lines[i] = fmt.Sprint(l)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Edited %s: %s, at line %s.", p.file.Rel, count(len(p.places), "replacement"), strings.Join(lines, ", "))
	if p.moved {
		b.WriteString(" The file had changed since you last read it; the edit was made on its present text.")
	}
	b.WriteString(files.Landing(applied[0], p.change.After))
	b.WriteString("\n\n" + clip(p.diff()))
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
