package fs

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

//go:embed write.md
var writeDoc string

type writeArgs struct {
	Path    string `json:"path" desc:"File to write, from the working folder or absolute; missing folders are made."`
	Content string `json:"content" desc:"The whole new text."`
}

type write struct {
	ws   *workspace.Workspace
	form *schema.Schema
}

// Write is the tool write.
func Write(ws *workspace.Workspace) tools.Tool { return write{ws, schema.Form[writeArgs]()} }

// Fit takes other spellings too.
func (t write) Fit(raw json.RawMessage) (json.RawMessage, error) {
	return t.form.Fit(schema.Rename(raw, map[string]string{
		"file_path": "path", "filePath": "path", "filepath": "path", "file": "path", "filename": "path",
		"contents": "content", "text": "content", "file_text": "content",
	}))
}

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
	f, alike, err := files.Locate(ctx, t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	snap, err := t.ws.Read(ctx, f.Path)
	if err != nil {
		return tools.Action{}, files.Refuse(f, err)
	}
	change, told, err := t.change(ctx, call, f, snap, args)
	if err != nil {
		_, err = files.Telling(alike, tools.Result{}, err)
		return tools.Action{}, err
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
			res, err := t.run(ctx, call, f, change, told)
			return files.Telling(alike, res, err)
		},
	}, nil
}

// change is what is to be done, and what is to be told of it.
func (t write) change(ctx context.Context, call tools.Call, f workspace.File, snap workspace.Snapshot, args writeArgs) (c workspace.Change, told string, err error) {
	if snap.Exists {
		if err := t.known(call, snap); err != nil {
			return c, "", err
		}
		after := strings.TrimPrefix(args.Content, "\ufeff") // whether there is a mark is the file's own
		if strings.ContainsAny(snap.Text, "\r\n") {
			after = endings.Keep(snap.Text, after)
		} else {
			after = endings.Of(ctx, t.ws, f.Path).Apply(after)
		}
		return workspace.Change{
			Kind: workspace.Modify, Path: f.Path, Base: snap.Hash, Before: snap.Text, After: after, AllowOutside: f.Outside,
		}, "", nil
	}
	if strings.HasSuffix(args.Path, "/") || strings.HasSuffix(args.Path, string(filepath.Separator)) {
		return c, "", tools.Fail(fmt.Sprintf("Not written: %s ends as a folder does. Give the path of the file; missing folders are made.", args.Path))
	}
	style := endings.Of(ctx, t.ws, f.Path)
	after, format, told := style.New(args.Content)
	if after != args.Content && style.Ending != "" {
		told += fmt.Sprintf(" Its line endings are %s, as %s says.", map[string]string{text.LF: "LF", text.CRLF: "CRLF", text.CR: "CR"}[style.Ending], style.Said)
	}
	return workspace.Change{Kind: workspace.Create, Path: f.Path, After: after, Format: format, AllowOutside: f.Outside}, told, nil
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

func (t write) run(ctx context.Context, call tools.Call, f workspace.File, change workspace.Change, told string) (tools.Result, error) {
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
	said := fmt.Sprintf("%s %s, %s, %s of text.", verb, f.Rel, count(lineCount(applied[0].After), "line"), count(len(applied[0].After), "byte"))
	return tools.Result{
		Outcome: tools.OK, Changed: files.Changed(applied),
		Text:    said + told + files.Landing(applied[0], change.After) + files.Markers(change.Before, change.After),
		Display: fmt.Sprintf("%s %s", verb, f.Rel),
	}, nil
}

func lineCount(s string) int {
	if s == "" {
		return 0
	}
	s = text.WithEnding(s, text.LF)
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
