package document

import (
	"context"
	"path/filepath"

	"companion/lspbridge/rpc"
)

// DidOpen handles textDocument/didOpen.
func (h *Handlers) DidOpen(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		TextDocument struct {
			ID
			LanguageID string `json:"languageId"`
			Version    int32  `json:"version"`
			Text       string `json:"text"`
		} `json:"textDocument"`
	}
	if err := need(r, &p, &p.TextDocument.ID); err != nil {
		return nil, err
	}
	d := p.TextDocument
	if !Served(d.URI) {
		return nil, nil
	}
	h.Workspace.DidOpen(d.URI, d.LanguageID, d.Version, d.Text)
	if f, err := h.Workspace.ResolveURI(d.URI); err == nil && filepath.IsAbs(f.Path) { // not an unsaved buffer
		h.Opened(f.Path)
	}
	return nil, nil
}
