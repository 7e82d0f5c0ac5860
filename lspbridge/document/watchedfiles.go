package document

import (
	"context"

	"companion/lspbridge/rpc"
)

// DidChangeWatchedFiles handles workspace/didChangeWatchedFiles.
func (h *Handlers) DidChangeWatchedFiles(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Changes []ID `json:"changes"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(p.Changes))
	for _, c := range p.Changes {
		if f, err := h.Workspace.ResolveURI(c.URI); err == nil && Served(c.URI) {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) > 0 {
		h.Disk(paths)
	}
	return nil, nil
}
