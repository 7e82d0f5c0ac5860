package ask

import (
	"fmt"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// fileEdits checks a workspace edit and gives it by file. Any
// version that is not the present one rejects all of it.
func fileEdits(c *lspclient.Client, e *protocol.WorkspaceEdit) ([]tools.FileEdit, error) {
	var out []tools.FileEdit
	if len(e.DocumentChanges) == 0 {
		for _, u := range slices.Sorted(maps.Keys(e.Changes)) {
			fe, err := fileEdit(c, string(u), nil, e.Changes[u])
			if err != nil {
				return nil, err
			}
			out = append(out, fe)
		}
		return out, nil
	}
	for _, change := range e.DocumentChanges {
		switch ch := change.(type) {
		case *protocol.TextDocumentEdit:
			edits, err := textEdits(ch.Edits)
			if err != nil {
				return nil, err
			}
			fe, err := fileEdit(c, string(ch.TextDocument.URI), ch.TextDocument.Version, edits)
			if err != nil {
				return nil, err
			}
			out = append(out, fe)
		case *protocol.CreateFile:
			out = append(out, tools.FileEdit{Path: wire.PathOf(string(ch.URI)), Create: true})
		case *protocol.DeleteFile:
			out = append(out, tools.FileEdit{Path: wire.PathOf(string(ch.URI)), Delete: true})
		case *protocol.RenameFile:
			out = append(out, tools.FileEdit{Path: wire.PathOf(string(ch.NewURI)), From: wire.PathOf(string(ch.OldURI))})
		default:
			return nil, fmt.Errorf("%s: a workspace edit holds a %T, which is not understood", c.Name(), change)
		}
	}
	for _, fe := range out {
		if fe.Path == "" {
			return nil, fmt.Errorf("%s: a workspace edit names something that is no file", c.Name())
		}
	}
	return out, nil
}

func textEdits(in []protocol.TextDocumentEditElement) ([]protocol.TextEdit, error) {
	var out []protocol.TextEdit
	for _, e := range in {
		switch e := e.(type) {
		case *protocol.TextEdit:
			out = append(out, *e)
		case *protocol.AnnotatedTextEdit:
			out = append(out, protocol.TextEdit{Range: e.Range, NewText: e.NewText})
		default:
			return nil, fmt.Errorf("a text edit of kind %T is not understood", e)
		}
	}
	return out, nil
}

func fileEdit(c *lspclient.Client, id string, version *int32, edits []protocol.TextEdit) (tools.FileEdit, error) {
	path := wire.PathOf(id)
	if path == "" {
		return tools.FileEdit{}, fmt.Errorf("%s: a workspace edit for %s, which is no file", c.Name(), id)
	}
	fe := tools.FileEdit{Path: path}
	for _, e := range edits {
		fe.Edits = append(fe.Edits, text.RangeEdit{Range: rangeOf(e.Range), New: e.NewText})
	}
	src, present, open := c.Document(path)
	if !open {
		return fe, ordered(path, fe.Edits)
	}
	if version != nil && *version != present {
		return fe, fmt.Errorf("%s: its edit is for version %d of %s, which is at version %d now", c.Name(), *version, path, present)
	}
	byOffset, err := text.ByOffset(text.NewIndex(src), fe.Edits, text.UTF16)
	if err == nil {
		_, err = text.Apply(src, byOffset)
	}
	if err != nil {
		return fe, fmt.Errorf("%s: its edit of %s is not valid: %w", c.Name(), path, err)
	}
	return fe, nil
}

// ordered rejects ranges that start after their end, where no text is at hand.
func ordered(path string, edits []text.RangeEdit) error {
	if _, err := text.ByOffset(text.NewIndex(""), edits, text.UTF16); err != nil {
		return fmt.Errorf("its edit of %s is not valid: %w", path, err)
	}
	return nil
}

func rangeOf(r protocol.Range) text.Range {
	return text.Range{
		Start: text.Position{Line: int(r.Start.Line), Character: int(r.Start.Character)},
		End:   text.Position{Line: int(r.End.Line), Character: int(r.End.Character)},
	}
}
