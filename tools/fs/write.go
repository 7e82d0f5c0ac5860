package fs

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

//go:embed write.md
var writeDoc string

type writeArgs struct {
	Path    string `json:"path" desc:"File to write, from the working folder or absolute; missing folders are made."`
	Content string `json:"content" desc:"The whole new text."`
}

type write struct{ ws *workspace.Workspace }

// Write is the tool write.
func Write(ws *workspace.Workspace) tools.Tool { return write{ws} }

func (write) Spec() tools.Spec {
	return tools.Spec{
		Name: "write", Title: "Write a file", Description: strings.TrimSpace(writeDoc), Input: schema.Of[writeArgs](),
		Destructive: true, Finish: true, SearchHint: "create new file, replace the whole content",
	}
}

func (t write) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[writeArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, err := files.Resolve(t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	snap, err := t.ws.Read(ctx, f.Path)
	if err != nil {
		return tools.Action{}, files.Refuse(f, err)
	}
	change := workspace.Change{Kind: workspace.Create, Path: f.Path, After: args.Content, AllowOutside: f.Outside}
	if snap.Exists {
		if err := t.known(call, snap); err != nil {
			return tools.Action{}, err
		}
		after := args.Content
		if ending, mixed := text.Ending(snap.Text); ending != "" && !mixed {
			after = text.WithEnding(after, ending)
		}
		if snap.Format.BOM {
			after = strings.TrimPrefix(after, "\ufeff") // the file's own is kept
		}
		change = workspace.Change{
			Kind: workspace.Modify, Path: f.Path, Base: snap.Hash, Before: snap.Text, After: after, AllowOutside: f.Outside,
		}
	}
	oldName := "a/" + f.Rel
	if !snap.Exists {
		oldName = "/dev/null"
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Write, f)},
		Locks:     []tools.Lock{{Resource: f.Path}},
		Preview:   tools.Preview{Diff: text.Unified(oldName, "b/"+f.Rel, snap.Text, change.After, 3)},
		Activity:  "Writing " + f.Rel,
		Locations: []tools.Location{{Path: f.Path, Line: 1}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			return t.run(ctx, call, f, change)
		},
	}, nil
}

// known refuses to replace a text that this thread has not seen.
func (t write) known(call tools.Call, snap workspace.Snapshot) error {
	hash, ok := t.ws.LastRead(call.Thread, snap.Path)
	switch {
	case !ok:
		return tools.Fail(fmt.Sprintf("Not written: %s exists and was not read in this thread. Read it first, or use edit to change a part of it.", snap.Rel))
	case hash != snap.Hash:
		return tools.Fail(fmt.Sprintf("Not written: %s changed since you read it. Read it again, or use edit to change a part of it.", snap.Rel))
	}
	return nil
}

func (t write) run(ctx context.Context, call tools.Call, f workspace.File, change workspace.Change) (tools.Result, error) {
	if change.Kind == workspace.Modify && change.Before == change.After {
		return tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("%s holds exactly this text already; nothing was changed.", f.Rel)}, nil
	}
	applied, err := t.ws.Apply(ctx, "Write "+f.Rel, []workspace.Change{change})
	if err != nil {
		return tools.Result{}, files.Refuse(f, err)
	}
	t.ws.NoteRead(call.Thread, f.Path, applied[0].Hash)
	verb := "Replaced"
	if change.Kind == workspace.Create {
		verb = "Created"
	}
	lines := strings.Count(applied[0].After, "\n")
	return tools.Result{
		Outcome: tools.OK, Changed: files.Changed(applied),
		Text:    fmt.Sprintf("%s %s, %d line endings, %d bytes.%s", verb, f.Rel, lines, len(applied[0].After), files.Landing(applied[0], change.After)),
		Display: fmt.Sprintf("%s %s", verb, f.Rel),
	}, nil
}
