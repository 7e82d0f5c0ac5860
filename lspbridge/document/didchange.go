package document

import (
	"context"
	"encoding/json"
	"errors"

	"companion/lspbridge/rpc"
	"companion/text"
	"companion/workspace"
)

// position is an LSP Position; int where LSP has uinteger, because editors do
// send -1 and workspace clamps.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// DidChange handles textDocument/didChange. It decodes by itself: a range that
// is broken must never be taken for a change of the whole text.
//
// A change that makes no sense leaves the editor with a text that is not known
// here: the document is lost, which is told once.
func (h *Handlers) DidChange(_ context.Context, r *rpc.Request) (any, error) {
	uri, err := h.didChange(r)
	if err != nil && uri != "" && h.Workspace.Lose(uri) && h.Lost != nil {
		h.Lost(uri, err)
	}
	return nil, err
}

func (h *Handlers) didChange(r *rpc.Request) (uri string, err error) {
	var p struct {
		TextDocument struct {
			ID
			Version *int32 `json:"version"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *struct {
				Start *position `json:"start"`
				End   *position `json:"end"`
			} `json:"range"`
			Text *string `json:"text"`
		} `json:"contentChanges"`
	}
	if err := need(r, &p, &p.TextDocument.ID); err != nil {
		return p.TextDocument.URI, err // what was read of it
	}
	uri = p.TextDocument.URI
	if !Served(uri) {
		return "", nil
	}
	changes := make([]workspace.ContentChange, 0, len(p.ContentChanges))
	for _, c := range p.ContentChanges {
		if c.Text == nil {
			return uri, rpc.BadParam("contentChanges.text", "missing")
		}
		change := workspace.ContentChange{Text: *c.Text}
		if c.Range != nil {
			if c.Range.Start == nil || c.Range.End == nil {
				return uri, rpc.BadParam("contentChanges.range", "start or end is missing")
			}
			change.Range = &text.Range{Start: text.Position(*c.Range.Start), End: text.Position(*c.Range.End)}
		}
		changes = append(changes, change)
	}
	var version int32
	if v := p.TextDocument.Version; v != nil {
		version = *v
	} else if doc, ok := h.Workspace.Document(uri); ok && doc.Version != nil {
		version = *doc.Version // a client that leaves versions out
	}
	err = h.Workspace.DidChange(uri, version, changes, h.Encoding)
	if errors.Is(err, workspace.ErrNotOpen) {
		h.stray(uri)
		return uri, nil
	}
	return uri, err
}

// stray logs once for each URI that the editor changes without opening it.
func (h *Handlers) stray(uri string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.strays[uri] {
		return
	}
	if h.strays == nil {
		h.strays = map[string]bool{}
	}
	h.strays[uri] = true
	h.Log.Warn("didChange for a document that is not open", "uri", uri)
}

// decodeNull tells absent and null apart from a value.
func decodeNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}
