package document

import (
	"context"
	"encoding/json"
	"slices"

	"companion/lspbridge/rpc"
)

// DidChangeConfiguration handles workspace/didChangeConfiguration: the settings
// themselves, or null when they are to be pulled.
func (h *Handlers) DidChangeConfiguration(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	h.Settings(slices.Clone(decodeNull(p.Settings)))
	return nil, nil
}
