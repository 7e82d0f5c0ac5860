package companion

import (
	"context"
	"log/slog"

	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
)

func (h *Handlers) modelsList(context.Context, *rpc.Request, wire.NoParams) (wire.ModelList, error) {
	if h.Models == nil {
		return wire.ModelList{}, notOffered("companion/models/list")
	}
	out := h.Models()
	out.Models = wire.List(out.Models)
	return out, nil
}

func (h *Handlers) modelsRegister(_ context.Context, _ *rpc.Request, p wire.ModelsRegisterParams) (wire.Revision, error) {
	if h.Register == nil {
		return wire.Revision{}, notOffered("companion/models/register")
	}
	return wire.Revision{Revision: h.Register(p.Models)}, nil
}

func (h *Handlers) mcpList(context.Context, *rpc.Request, wire.NoParams) (wire.MCPList, error) {
	return wire.MCPList{Servers: []wire.MCPServer{}}, nil
}

func (h *Handlers) mcpReconnect(_ context.Context, _ *rpc.Request, p wire.MCPReconnectParams) (wire.Empty, error) {
	return wire.Empty{}, rpc.Failed("notOffered", "there is no MCP server %q", p.Server)
}

func (h *Handlers) status(context.Context, *rpc.Request, wire.NoParams) (wire.Status, error) {
	if h.State == nil {
		return wire.Status{Roots: []string{}, Servers: []wire.ServerStatus{}}, nil
	}
	out := h.State()
	out.Roots, out.Servers = wire.List(out.Roots), wire.List(out.Servers)
	return out, nil
}

func (h *Handlers) didChangeTrust(p wire.TrustParams) error {
	for _, f := range p.Folders {
		root, ok := wire.Folder(f.URI)
		if !ok {
			if h.Log != nil {
				h.Log.Warn("trust of a folder that is none", slog.String("uri", f.URI))
			}
			continue
		}
		h.Trust(root, f.Trusted)
	}
	return nil
}
