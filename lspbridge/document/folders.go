package document

import (
	"context"

	"companion/lspbridge/rpc"
)

// DidChangeFolders handles workspace/didChangeWorkspaceFolders.
func (h *Handlers) DidChangeFolders(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Event struct {
			Added   []ID `json:"added"`
			Removed []ID `json:"removed"`
		} `json:"event"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	h.Folders(uris(p.Event.Added), uris(p.Event.Removed))
	return nil, nil
}

func uris(ids []ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.URI
	}
	return out
}
