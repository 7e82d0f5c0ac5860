package nav

import (
	"context"
	"errors"
	"fmt"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/workspace"
)

// changesOf checks a workspace edit that a server supplied and turns it into
// changes of whole files. A reversed range, overlapping edits, or a file
// outside the roots reject all of it; the error is a *tools.Refusal.
func changesOf(ctx context.Context, ws *workspace.Workspace, edits []tools.FileEdit) ([]workspace.Change, error) {
	var out []workspace.Change
	for _, e := range merged(edits) {
		f, err := inside(ws, e.Path)
		if err != nil {
			return nil, err
		}
		source := f
		if e.From != "" {
			if source, err = inside(ws, e.From); err != nil {
				return nil, err
			}
		}
		snap, err := ws.Read(ctx, source.Path)
		if err != nil {
			return nil, files.Refuse(source, err)
		}
		if !snap.Exists && !e.Create {
			return nil, tools.Fail(fmt.Sprintf("The server's edit names %s, which does not exist. Nothing was changed.", source.Rel))
		}
		c := workspace.Change{Kind: workspace.Modify, Path: f.Path, Base: snap.Hash, Before: snap.Text}
		switch {
		case e.Delete:
			c.Kind = workspace.Delete
			out = append(out, c)
			continue
		case e.From != "":
			c.Kind, c.From = workspace.Rename, source.Path
		case e.Create && !snap.Exists:
			c = workspace.Change{Kind: workspace.Create, Path: f.Path}
		}
		if c.After, err = applyRanges(f, c.Before, e.Edits); err != nil {
			return nil, err
		}
		if c.Kind == workspace.Modify && c.After == c.Before {
			continue
		}
		out = append(out, c)
	}
	return out, nil
}

// merged joins the parts that a server sent apart for one file.
func merged(edits []tools.FileEdit) []tools.FileEdit {
	var out []tools.FileEdit
	at := map[string]int{}
	for _, e := range edits {
		i, ok := at[e.Path]
		if !ok {
			at[e.Path] = len(out)
			e.Edits = append([]text.RangeEdit(nil), e.Edits...)
			out = append(out, e)
			continue
		}
		out[i].Edits = append(out[i].Edits, e.Edits...)
		out[i].Create = out[i].Create || e.Create
		out[i].Delete = out[i].Delete || e.Delete
		if e.From != "" {
			out[i].From = e.From
		}
	}
	return out
}

func inside(ws *workspace.Workspace, path string) (workspace.File, error) {
	f, err := ws.Resolve(path)
	if err != nil {
		return f, tools.Fail(fmt.Sprintf("The server's edit names %q, which is no file: %v. Nothing was changed.", path, err))
	}
	if f.Outside {
		return f, tools.Fail(fmt.Sprintf("The server's edit reaches %s, outside the workspace; all of it is refused. Nothing was changed.", f.Path))
	}
	return f, nil
}

// applyRanges applies edits by utf-16 ranges, or says which range is wrong.
func applyRanges(f workspace.File, source string, edits []text.RangeEdit) (string, error) {
	byOffset, err := text.ByOffset(text.NewIndex(source), edits, text.UTF16)
	var after string
	if err == nil {
		after, err = text.Apply(source, byOffset)
	}
	var wrong *text.EditError
	if errors.As(err, &wrong) {
		at := ""
		if wrong.Index < len(edits) {
			r := edits[wrong.Index].Range
			at = fmt.Sprintf(" (range %d:%d-%d:%d)", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
		}
		return "", tools.Fail(fmt.Sprintf("The server's edit of %s is wrong and all of it is refused: %v%s. Nothing was changed.", f.Rel, wrong, at))
	}
	return after, err
}
