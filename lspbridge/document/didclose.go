package document

import (
	"context"

	"companion/lspbridge/rpc"
)

// DidClose handles textDocument/didClose.
func (h *Handlers) DidClose(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		TextDocument ID `json:"textDocument"`
	}
	if err := need(r, &p, &p.TextDocument); err != nil {
		return nil, err
	}
	if Served(p.TextDocument.URI) {
		h.Workspace.DidClose(p.TextDocument.URI)
	}
	return nil, nil
}
