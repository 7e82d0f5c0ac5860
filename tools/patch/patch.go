package patch

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed apply_patch.md
var doc string

//go:embed patch.lark
var lark string

// Name is the tool's name.
const Name = "apply_patch"

type patch struct{ ws *workspace.Workspace }

// New is the tool apply_patch.
func New(ws *workspace.Workspace) tools.Tool { return patch{ws} }

func (patch) Spec() tools.Spec {
	return tools.Spec{
		Name: Name, Title: "Apply a patch", Description: strings.TrimSpace(doc), Form: tools.Freeform, Input: schema.Of[args](),
		Grammar: strings.TrimSpace(lark), Tolerant: true, Finish: true, Destructive: true, Serves: "edit",
		SearchHint: "change create delete rename move edit several files at once, diff",
	}
}

type args struct {
	Input string `json:"input" desc:"The patch, from *** Begin Patch to *** End Patch."`
}

func (t patch) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if call.Cut {
		return tools.Action{}, tools.Fail("Not applied, nothing was changed: the output limit cut the patch off. Send it again in several smaller patches, each complete.")
	}
	return t.prepare(ctx, job{ws: t.ws, call: call}, a.Input)
}

func (t patch) prepare(ctx context.Context, j job, input string) (tools.Action, error) {
	p, err := j.plan(ctx, input)
	if err != nil {
		return tools.Action{}, err
	}
	action := tools.Action{Activity: p.activity()}
	kind := tools.Write
	if p.none != nil || len(p.changes) == 0 {
		// Saying what is there instead only reads: a person need not be asked, but
		// a file that may not be read must not be told of.
		kind = tools.Read
	}
	for _, e := range p.entries {
		action.Effects = append(action.Effects, files.Effect(kind, e.file))
		action.Locks = append(action.Locks, tools.Lock{Resource: e.file.Path})
		action.Locations = append(action.Locations, tools.Location{Path: e.file.Path, Line: e.line})
	}
	if p.none == nil {
		action.Preview.Diff = p.diff()
	}
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) { return j.run(ctx, p) }
	return action, nil
}

func (p *plan) activity() string {
	if len(p.entries) == 1 {
		return "Patching " + p.entries[0].file.Rel
	}
	return fmt.Sprintf("Patching %d files", len(p.entries))
}

// diff is the whole plan as a unified diff.
func (p *plan) diff() string {
	var b strings.Builder
	for _, c := range p.changes {
		from, to := "a/"+p.rel(c.Path), "b/"+p.rel(c.Path)
		switch c.Kind {
		case workspace.Create:
			from = "/dev/null"
		case workspace.Delete:
			to = "/dev/null"
		case workspace.Rename:
			from = "a/" + p.rel(c.From)
		}
		d := text.Unified(from, to, c.Before, c.After, 3)
		if d == "" { // a bare move, or no text
			d = "--- " + from + "\n+++ " + to + "\n"
		}
		b.WriteString(d)
	}
	return b.String()
}

func (j job) run(ctx context.Context, p *plan) (tools.Result, error) {
	if p.none != nil {
		return tools.Result{}, p.none
	}
	if len(p.changes) == 0 {
		return tools.Result{Outcome: tools.OK, Text: "Nothing was changed: the files hold this already." + p.remarks()}, nil
	}
	applied, err := j.ws.Apply(ctx, p.activity(), p.changes)
	if err != nil {
		return tools.Result{}, p.refuse(err)
	}
	var landed strings.Builder
	for i, a := range applied {
		switch {
		case a.Kind == workspace.Delete:
		case a.Merged: // the model has not seen what else is in it
		default:
			j.ws.NoteRead(j.call.Thread, a.Path, a.Hash)
		}
		if s := files.Landing(a, p.changes[i].After); s != "" && a.Kind != workspace.Delete {
			fmt.Fprintf(&landed, "\n%s:%s", p.rel(a.Path), s)
		}
	}
	return tools.Result{
		Outcome: tools.OK, Changed: files.Changed(applied),
		Text:    "Success. Updated the following files:\n" + p.list(true) + p.remarks() + landed.String(),
		Display: p.shown(),
	}, nil
}

// refuse words an error of the workspace; it names the file.
func (p *plan) refuse(err error) error {
	f := workspace.File{}
	if len(p.entries) > 0 {
		f = p.entries[0].file
	}
	if e := p.at(err); e != nil {
		f = e.file
	}
	return files.Refuse(f, err)
}

// list is one line for each changed file: A, M or D and its path.
func (p *plan) list(detail bool) string {
	lines := make([]string, 0, len(p.changes))
	for _, c := range p.changes {
		letter, rest := "M", ""
		switch c.Kind {
		case workspace.Create:
			letter = "A"
		case workspace.Delete:
			letter = "D"
		case workspace.Rename:
			rest = " (moved from " + p.rel(c.From) + ")"
		}
		if at := p.entry(c.Path); detail && at != nil && len(at.places) > 0 {
			rest += " at line " + places(at.places)
		}
		if !detail {
			rest = ""
		}
		lines = append(lines, letter+" "+p.rel(c.Path)+rest)
	}
	return strings.Join(lines, "\n")
}

const shownPlaces = 20

func places(at []int) string {
	var b strings.Builder
	for i, n := range at {
		if i == shownPlaces {
			return b.String() + ", …"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// remarks are what the model should know beyond that it worked.
func (p *plan) remarks() string {
	if len(p.notes) == 0 {
		return ""
	}
	return "\n" + strings.Join(p.notes, "\n")
}

func (p *plan) shown() string {
	if len(p.changes) == 1 {
		return "Patched " + p.rel(p.changes[0].Path)
	}
	return fmt.Sprintf("Patched %d files", len(p.changes))
}

// Apply applies a patch to files below the roots of ws, without a model. It
// gives one line for each changed file: A, M or D and the path, and remarks for
// a person. overwrite: files may be replaced by new and moved ones. An error
// that is a *tools.Refusal says why nothing was changed.
func Apply(ctx context.Context, ws *workspace.Workspace, input string, overwrite bool) (changed string, remarks []string, err error) {
	p, err := job{ws: ws, call: tools.Call{Roots: ws.Roots()}, overwrite: overwrite}.plan(ctx, input)
	if err != nil {
		return "", nil, err
	}
	for _, e := range p.entries {
		if e.file.Outside {
			return "", nil, refuse("%s lies outside %s.", e.file.Path, ws.Roots()[0])
		}
	}
	if p.none != nil {
		return "", nil, p.none
	}
	if len(p.changes) > 0 {
		if _, err := ws.Apply(ctx, p.activity(), p.changes); err != nil {
			return "", nil, p.refuse(err)
		}
	}
	return p.list(false), p.notes, nil
}
