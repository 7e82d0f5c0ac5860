package nav

import (
	"context"
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/workspace"
)

// codeActions lists what is offered:
//
//	N code actions for REL:LINE.
//	ID. TITLE [KIND][ preferred][ disabled: REASON]
//	   fixes: MESSAGE
func (t *lsp) codeActions(ctx context.Context, args lspArgs, snap workspace.Snapshot) (string, error) {
	index := text.NewIndex(snap.Text)
	switch {
	case args.Line == 0:
		return "", tools.Fail("Give line: code actions are asked for a line, or for line to end_line.")
	case args.Line > index.Lines():
		return "", tools.Fail(fmt.Sprintf("%s has %d lines; line %d is past its end.", snap.Rel, index.Lines(), args.Line))
	}
	last := min(max(args.EndLine, args.Line), index.Lines())
	start, _ := index.Span(args.Line - 1)
	_, end := index.Span(last - 1)
	offered, err := t.lang.CodeActions(ctx, snap.Path, text.Range{
		Start: index.Position(start, text.UTF16), End: index.Position(end, text.UTF16),
	}, args.Only)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	t.offered[snap.Path] = offered
	t.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d code actions for %s:%d.", len(offered), snap.Rel, args.Line)
	for _, a := range offered {
		fmt.Fprintf(&b, "\n%s. %s [%s]", a.ID, tools.OneLine(a.Title), a.Kind)
		if a.Preferred {
			b.WriteString(" preferred")
		}
		if a.Disabled != "" {
			b.WriteString(" disabled: " + tools.OneLine(a.Disabled))
		}
		for _, f := range a.Fixes {
			b.WriteString("\n   fixes: " + tools.OneLine(f))
		}
	}
	return b.String(), nil
}

// prepareApply resolves an offered action to the edits that it would make, so
// that what is shown and approved is what is applied.
func (t *lsp) prepareApply(ctx context.Context, call tools.Call, args lspArgs, f workspace.File) (tools.Action, error) {
	if args.ID == "" {
		return tools.Action{}, tools.Fail("Give id: apply_code_action needs the ID that code_actions gave for this file.")
	}
	title := t.title(f.Path, args.ID)
	if call.Mode == tools.ModeAsk || call.Mode == tools.ModePlan {
		return unresolved(f, fmt.Sprintf("Applying %q", title)), nil
	}
	return t.change(ctx, call, f, planned{
		title: title, activity: fmt.Sprintf("Applying %q", title), nothing: fmt.Sprintf("The code action %q changes nothing.", title),
		done:  func(n int) string { return fmt.Sprintf("Applied \"%s\" to %d files.", tools.OneLine(title), n) },
		edits: func() ([]tools.FileEdit, error) { return t.lang.ResolveAction(ctx, f.Path, args.ID) },
	})
}

// planned is a change that a server would make.
type planned struct {
	title, activity string
	nothing         string // said when there is nothing to change
	done            func(files int) string
	edits           func() ([]tools.FileEdit, error)
}

// change turns what a server would change into an action of edits.
func (t *lsp) change(ctx context.Context, call tools.Call, f workspace.File, p planned) (tools.Action, error) {
	edits, err := p.edits()
	if err != nil {
		return tools.Action{}, heard(ctx, err)
	}
	changes, err := changesOf(ctx, t.ws, edits)
	if err != nil {
		return tools.Action{}, err
	}
	if len(changes) == 0 {
		return tools.Action{}, tools.Fail(p.nothing + " Nothing was done.")
	}
	action := tools.Action{Activity: p.activity}
	var diff strings.Builder
	for _, c := range changes {
		for _, path := range []string{c.Path, c.From} {
			if path == "" {
				continue
			}
			action.Effects = append(action.Effects, tools.Effect{Kind: tools.Write, Path: path})
			action.Locks = append(action.Locks, tools.Lock{Resource: path})
		}
		action.Locations = append(action.Locations, tools.Location{Path: c.Path, Line: firstLine(c)})
		diff.WriteString(t.diff(c))
	}
	action.Preview.Diff = diff.String()
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		applied, err := t.ws.Apply(ctx, p.title, changes)
		if err != nil {
			return tools.Result{}, files.Refuse(f, err)
		}
		var landing string
		for i, a := range applied {
			t.ws.NoteRead(call.Thread, a.Path, a.Hash)
			if s := files.Landing(a, changes[i].After); s != "" && changes[i].Kind != workspace.Delete {
				landing += fmt.Sprintf("\n%s:%s", a.Rel, s)
			}
		}
		return tools.Result{
			Outcome: tools.OK, Changed: files.Changed(applied),
			Text:    fmt.Sprintf("%s%s\n\n%s", p.done(len(applied)), landing, diff.String()),
			Display: p.display(),
		}, nil
	}
	return action, nil
}

// display is the activity as done.
func (p planned) display() string {
	for doing, done := range map[string]string{"Applying": "Applied", "Renaming": "Renamed", "Formatting": "Formatted"} {
		if rest, ok := strings.CutPrefix(p.activity, doing); ok {
			return done + rest
		}
	}
	return p.activity
}

// unresolved stands for an action in a mode that changes nothing: a server may
// have to run a command to say what it would change, so it is not even asked,
// and the policy denies the write.
func unresolved(f workspace.File, activity string) tools.Action {
	return tools.Action{
		Effects:  []tools.Effect{files.Effect(tools.Write, f)},
		Locks:    []tools.Lock{{Resource: f.Path}},
		Activity: activity,
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: "Denied: this mode changes no file."}
		},
	}
}

func (t *lsp) title(path, id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.offered[path] {
		if a.ID == id {
			return a.Title
		}
	}
	return "code action " + id
}

func (t *lsp) diff(c workspace.Change) string {
	oldName, newName := "a/"+relOf(t.ws, c.Path, ""), "b/"+relOf(t.ws, c.Path, "")
	switch c.Kind {
	case workspace.Create:
		oldName = "/dev/null"
	case workspace.Delete:
		newName = "/dev/null"
	case workspace.Rename:
		oldName = "a/" + relOf(t.ws, c.From, "")
		if c.Before == c.After {
			return fmt.Sprintf("--- %s\n+++ %s\n", oldName, newName)
		}
	}
	return text.Unified(oldName, newName, c.Before, c.After, 3)
}

// firstLine is where a change begins, 1-based.
func firstLine(c workspace.Change) int {
	edits := text.Diff(c.Before, c.After)
	if len(edits) == 0 {
		return 1
	}
	return strings.Count(c.Before[:edits[0].Start], "\n") + 1
}
