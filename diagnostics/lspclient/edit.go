package lspclient

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"companion/text"
	"companion/tools"
)

// capture takes the edits that a server asks for while a command runs.
type capture struct {
	edits []tools.FileEdit
	err   error
}

// applyEdit answers workspace/applyEdit: taken while a command that the user
// chose runs, refused otherwise, since a server may not edit by itself.
func (c *Client) applyEdit(params []byte) json.RawMessage {
	refuse := func(why string) json.RawMessage {
		raw, _ := json.Marshal(map[string]any{"applied": false, "failureReason": why})
		return raw
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.capture == nil {
		return refuse("no command of this server is running")
	}
	var p protocol.ApplyWorkspaceEditParams
	err := protocol.Unmarshal(params, &p)
	if err == nil {
		var edits []tools.FileEdit
		if edits, err = c.fileEdits(&p.Edit); err == nil {
			c.capture.edits = append(c.capture.edits, edits...)
			return json.RawMessage(`{"applied":true}`)
		}
	}
	c.capture.err = err
	return refuse(err.Error())
}

// fileEdits checks a workspace edit and gives it by file; c.mu is held. Any
// version that is not the present one rejects all of it.
func (c *Client) fileEdits(e *protocol.WorkspaceEdit) ([]tools.FileEdit, error) {
	var out []tools.FileEdit
	if len(e.DocumentChanges) == 0 {
		for _, u := range slices.Sorted(maps.Keys(e.Changes)) {
			fe, err := c.fileEdit(string(u), nil, e.Changes[u])
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
			fe, err := c.fileEdit(string(ch.TextDocument.URI), ch.TextDocument.Version, edits)
			if err != nil {
				return nil, err
			}
			out = append(out, fe)
		case *protocol.CreateFile:
			out = append(out, tools.FileEdit{Path: pathOf(string(ch.URI)), Create: true})
		case *protocol.DeleteFile:
			out = append(out, tools.FileEdit{Path: pathOf(string(ch.URI)), Delete: true})
		case *protocol.RenameFile:
			out = append(out, tools.FileEdit{Path: pathOf(string(ch.NewURI)), From: pathOf(string(ch.OldURI))})
		default:
			return nil, fmt.Errorf("%s: a workspace edit holds a %T, which is not understood", c.cfg.Name, change)
		}
	}
	for _, fe := range out {
		if fe.Path == "" {
			return nil, fmt.Errorf("%s: a workspace edit names something that is no file", c.cfg.Name)
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

func (c *Client) fileEdit(id string, version *int32, edits []protocol.TextEdit) (tools.FileEdit, error) {
	path := pathOf(id)
	if path == "" {
		return tools.FileEdit{}, fmt.Errorf("%s: a workspace edit for %s, which is no file", c.cfg.Name, id)
	}
	fe := tools.FileEdit{Path: path}
	for _, e := range edits {
		fe.Edits = append(fe.Edits, text.RangeEdit{Range: rangeOf(e.Range), New: e.NewText})
	}
	f := c.files[path]
	if f == nil || !f.open {
		return fe, ordered(path, fe.Edits)
	}
	if version != nil && *version != f.version {
		return fe, fmt.Errorf("%s: its edit is for version %d of %s, which is at version %d now", c.cfg.Name, *version, path, f.version)
	}
	byOffset, err := text.ByOffset(text.NewIndex(f.text), fe.Edits, text.UTF16)
	if err == nil {
		_, err = text.Apply(f.text, byOffset)
	}
	if err != nil {
		return fe, fmt.Errorf("%s: its edit of %s is not valid: %w", c.cfg.Name, path, err)
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
