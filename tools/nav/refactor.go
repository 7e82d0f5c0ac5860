package nav

import (
	"context"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/files"
	"companion/workspace"
)

// prepareFind looks for symbols by name, in the project of path or in all.
func (t *lsp) prepareFind(call tools.Call, args lspArgs) (tools.Action, error) {
	query := strings.TrimSpace(args.Symbol)
	if query == "" {
		return tools.Action{}, tools.Fail("Give symbol: workspace_symbols needs a name, or a part of one, to search.")
	}
	action := tools.Action{Activity: fmt.Sprintf("Searching the project for the symbol %q", tools.OneLine(query))}
	path := ""
	if args.Path != "" {
		f, err := files.Resolve(t.ws, call, args.Path)
		if err != nil {
			return tools.Action{}, err
		}
		path = f.Path
		action.Effects = []tools.Effect{files.Effect(tools.Read, f)}
		action.Locks = []tools.Lock{{Resource: f.Path, Shared: true}}
		action.Locations = []tools.Location{{Path: f.Path}}
	}
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		found, err := t.lang.Find(ctx, query, path)
		if err != nil {
			return tools.Result{}, heard(ctx, err)
		}
		if len(found) > 0 {
			return tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("Symbols like %s, %d found.\n", query, len(found)) + t.list(ctx, found)}, nil
		}
		out := fmt.Sprintf("No language server knows a symbol like %s.", query)
		if path == "" {
			out += " Only servers that run were asked; give the path of a file of the project to start its server."
		}
		return tools.Result{Outcome: tools.OK, Text: out}, nil
	}
	return action, nil
}

// prepareRename asks for the edits of a rename, so that what is shown and
// approved is what is applied.
func (t *lsp) prepareRename(ctx context.Context, call tools.Call, args lspArgs, f workspace.File) (tools.Action, error) {
	name := strings.TrimSpace(args.NewName)
	if name == "" || strings.ContainsAny(name, "\r\n") {
		return tools.Action{}, tools.Fail("Give new_name: rename needs what the symbol shall be called, one name without line endings.")
	}
	snap, err := t.read(ctx, call, f)
	if err != nil {
		return tools.Action{}, err
	}
	pos, old, err := locate(snap, args)
	if err != nil {
		return tools.Action{}, err
	}
	activity := fmt.Sprintf("Renaming %s to %s", old, tools.OneLine(name))
	if call.Mode == tools.ModeAsk || call.Mode == tools.ModePlan {
		return unresolved(f, activity), nil
	}
	return t.change(ctx, call, f, planned{
		title: fmt.Sprintf("Rename %s to %s", old, name), activity: activity,
		nothing: fmt.Sprintf("The language server changes nothing to rename %s at %s:%d.", old, snap.Rel, pos.Line+1),
		done:    func(n int) string { return fmt.Sprintf("Renamed %s to %s in %d files.", old, name, n) },
		edits:   func() ([]tools.FileEdit, error) { return t.lang.Rename(ctx, f.Path, pos, name) },
	})
}

// prepareFormat asks for the edits of the file's formatter.
func (t *lsp) prepareFormat(ctx context.Context, call tools.Call, _ lspArgs, f workspace.File) (tools.Action, error) {
	if _, err := t.read(ctx, call, f); err != nil {
		return tools.Action{}, err
	}
	activity := "Formatting " + f.Rel
	if call.Mode == tools.ModeAsk || call.Mode == tools.ModePlan {
		return unresolved(f, activity), nil
	}
	edits, err := t.lang.Format(ctx, f.Path)
	if err != nil {
		return tools.Action{}, heard(ctx, err)
	}
	if changes, err := changesOf(ctx, t.ws, edits); err == nil && len(changes) == 0 {
		return tools.Action{
			Effects: []tools.Effect{files.Effect(tools.Read, f)}, Activity: activity,
			Run: func(context.Context, tools.Progress) (tools.Result, error) {
				return tools.Result{Outcome: tools.OK, Text: f.Rel + " is formatted already."}, nil
			},
		}, nil
	}
	return t.change(ctx, call, f, planned{
		title: "Format " + f.Rel, activity: activity,
		done:  func(int) string { return "Formatted " + f.Rel + "." },
		edits: func() ([]tools.FileEdit, error) { return edits, nil },
	})
}

// read is the file that is asked about. The error is a *tools.Refusal.
func (t *lsp) read(ctx context.Context, call tools.Call, f workspace.File) (workspace.Snapshot, error) {
	snap, err := t.ws.Read(ctx, f.Path)
	switch {
	case err != nil:
		return snap, files.Refuse(f, err)
	case !snap.Exists:
		return snap, files.Missing(call, f)
	}
	return snap, nil
}
