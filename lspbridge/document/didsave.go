package document

import (
	"context"

	"companion/lspbridge/rpc"
)

// DidSave handles textDocument/didSave.
func (h *Handlers) DidSave(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		TextDocument ID      `json:"textDocument"`
		Text         *string `json:"text"`
	}
	if err := need(r, &p, &p.TextDocument); err != nil {
		return nil, err
	}
	if Served(p.TextDocument.URI) {
		h.Workspace.DidSave(p.TextDocument.URI, p.Text)
	}
	return nil, nil
}
