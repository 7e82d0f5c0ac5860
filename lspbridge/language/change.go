package language

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"companion/text"
	"companion/tools"
)

// Rename implements nav.Refactor.
func (l *Language) Rename(ctx context.Context, path string, pos text.Position, name string) ([]tools.FileEdit, error) {
	const method = "textDocument/rename"
	own := func() ([]tools.FileEdit, error) { return l.Servers.Rename(ctx, path, pos, name) }
	if !l.o.Editor.Offers(method) {
		return own()
	}
	raw, err := l.ask(ctx, method, path, pos, map[string]any{"newName": name})
	var edits []tools.FileEdit
	if err == nil {
		edits, err = l.workspaceEdit(ctx, raw)
	}
	return firstOf(ctx, edits, len(edits) > 0, err, own)
}

// Format implements nav.Refactor. The editor knows how its user indents, so that
// what companion sends of it is only a fallback.
func (l *Language) Format(ctx context.Context, path string) ([]tools.FileEdit, error) {
	const method = "textDocument/formatting"
	own := func() ([]tools.FileEdit, error) { return l.Servers.Format(ctx, path) }
	if !l.o.Editor.Offers(method) {
		return own()
	}
	snap, err := l.o.Workspace.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	params, err := json.Marshal(map[string]any{
		"textDocument": map[string]string{"uri": snap.URI}, "options": map[string]any{"tabSize": 4, "insertSpaces": false},
	})
	if err != nil {
		return nil, err
	}
	raw, err := l.o.Editor.Language(ctx, method, params)
	var edits []tools.FileEdit
	if err == nil && !isNull(bytes.TrimSpace(raw)) {
		var list []textEdit
		if err = json.Unmarshal(raw, &list); err != nil {
			err = fmt.Errorf("%w: text edits: %w", errShape, err)
		} else if len(list) == 0 {
			return nil, nil // it has a formatter, and nothing to do
		} else {
			var fe tools.FileEdit
			fe, err = l.fileEdit(ctx, snap.URI, snap.Version, list)
			edits = []tools.FileEdit{fe}
		}
	}
	return firstOf(ctx, edits, len(edits) > 0, err, own)
}

type textEdit struct {
	Range *span   `json:"range"`
	New   *string `json:"newText"`
}

// documentChange is a TextDocumentEdit, CreateFile, RenameFile or DeleteFile.
type documentChange struct {
	Kind         string `json:"kind"`
	URI          string `json:"uri"`
	OldURI       string `json:"oldUri"`
	NewURI       string `json:"newUri"`
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

// workspaceEdit reads WorkspaceEdit | null and checks it; any part that is wrong
// rejects all of it.
func (l *Language) workspaceEdit(ctx context.Context, raw json.RawMessage) ([]tools.FileEdit, error) {
	if isNull(bytes.TrimSpace(raw)) {
		return nil, nil
	}
	var w struct {
		Changes         map[string][]textEdit `json:"changes"`
		DocumentChanges []documentChange      `json:"documentChanges"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("%w: a workspace edit: %w", errShape, err)
	}
	var out []tools.FileEdit
	if len(w.DocumentChanges) == 0 {
		for _, uri := range slices.Sorted(maps.Keys(w.Changes)) {
			fe, err := l.fileEdit(ctx, uri, nil, w.Changes[uri])
			if err != nil {
				return nil, err
			}
			out = append(out, fe)
		}
		return out, nil
	}
	for _, c := range w.DocumentChanges {
		fe, err := l.documentChange(ctx, c)
		if err != nil {
			return nil, err
		}
		out = append(out, fe)
	}
	return out, nil
}

func (l *Language) documentChange(ctx context.Context, c documentChange) (fe tools.FileEdit, err error) {
	switch c.Kind {
	case "":
		return l.fileEdit(ctx, c.TextDocument.URI, c.TextDocument.Version, c.Edits)
	case "create":
		fe.Create = true
	case "delete":
		fe.Delete = true
	case "rename":
		if fe.From, err = l.pathOf(c.OldURI); err != nil {
			return fe, err
		}
		c.URI = c.NewURI
	default:
		return fe, fmt.Errorf("%w: a workspace edit that would %q", errShape, c.Kind)
	}
	fe.Path, err = l.pathOf(c.URI)
	return fe, err
}

func (l *Language) pathOf(uri string) (string, error) {
	f, err := l.o.Workspace.ResolveURI(uri)
	if err != nil {
		return "", fmt.Errorf("%w: an edit of %q, which is no file: %w", errShape, uri, err)
	}
	return f.Path, nil
}

// fileEdit checks the edits of one file against its present text and gives them
// in utf-16. Edits of a file that is not there (it is to be created) can only
// put text at its begin.
func (l *Language) fileEdit(ctx context.Context, uri string, version *int32, list []textEdit) (tools.FileEdit, error) {
	path, err := l.pathOf(uri)
	if err != nil {
		return tools.FileEdit{}, err
	}
	fe := tools.FileEdit{Path: path}
	snap, err := l.o.Workspace.Read(ctx, path)
	if err != nil {
		return fe, err
	}
	if version != nil && snap.Version != nil && *version != *snap.Version {
		return fe, fmt.Errorf("an edit for version %d of %s, which is at version %d", *version, snap.Rel, *snap.Version)
	}
	x := text.NewIndex(snap.Text)
	for _, e := range list {
		if e.Range == nil || e.Range.Start == nil || e.Range.End == nil || e.New == nil {
			return fe, fmt.Errorf("%w: a text edit without range or newText", errShape)
		}
		fe.Edits = append(fe.Edits, text.RangeEdit{Range: text.Range{Start: e.Range.Start.text(), End: e.Range.End.text()}, New: *e.New})
	}
	byOffset, err := text.ByOffset(x, fe.Edits, l.o.Encoding)
	if err == nil {
		_, err = text.Apply(snap.Text, byOffset)
	}
	if err != nil {
		return fe, fmt.Errorf("%w: an edit of %s: %w", errShape, snap.Rel, err)
	}
	r := reader{l: l, ctx: ctx, indexes: map[string]*text.Index{path: x}}
	for i := range fe.Edits {
		if fe.Edits[i].Range.Start.Line > x.Lines() {
			return fe, fmt.Errorf("%w: an edit of line %d of %s, which has %d", errShape, fe.Edits[i].Range.Start.Line+1, snap.Rel, x.Lines())
		}
		fe.Edits[i].Range = r.here(path, fe.Edits[i].Range)
	}
	return fe, nil
}

func (p position) text() text.Position {
	return text.Position{Line: int(p.Line), Character: int(p.Character)}
}
