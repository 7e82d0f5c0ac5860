package companion

import (
	"cmp"
	"context"
	"time"

	"companion/dynamic"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/tools"
)

// toolSpec gives the host's form.
func toolSpec(s wire.ToolSpec) dynamic.Spec {
	out := dynamic.Spec{
		Name: s.Name, Namespace: s.Namespace, Title: s.Title, Description: s.Description,
		Input: s.InputSchema, Output: s.OutputSchema,
		Exposure: tools.Exposure(s.Exposure), SearchHint: s.SearchHint,
		Timeout: time.Duration(s.TimeoutMs) * time.Millisecond, Approval: tools.Asking(s.Approval),
	}
	if a := s.Annotations; a != nil {
		out.Annotations = dynamic.Annotations(*a)
	}
	for _, l := range s.Locks {
		out.Locks = append(out.Locks, tools.Lock(l))
	}
	return out
}

// RegisterTools registers tools for an owner.
func (h *Handlers) RegisterTools(p wire.ToolsRegisterParams) (wire.ToolsRegisterResult, error) {
	if h.Tools == nil {
		return wire.ToolsRegisterResult{}, notOffered("companion/tools/register")
	}
	var specs []dynamic.Spec
	unread := []wire.Rejection{}
	for _, s := range p.Tools {
		if s.Bad != nil {
			name := tools.Spec{Name: s.Name, Namespace: s.Namespace}.Full()
			unread = append(unread, wire.Rejection{Name: name, Code: string(dynamic.BadSchema), Message: s.Bad.Error()})
			continue
		}
		specs = append(specs, toolSpec(s))
	}
	spaces := make([]dynamic.Namespace, len(p.Namespaces))
	for i, n := range p.Namespaces {
		spaces[i] = dynamic.Namespace(n)
	}
	registered, rejected, revision := h.Tools.Register(p.Owner, specs, spaces, p.Replace)
	out := wire.ToolsRegisterResult{Registered: wire.List(registered), Rejected: unread, Revision: revision}
	for _, r := range rejected {
		out.Rejected = append(out.Rejected, wire.Rejection{Name: r.Name, Code: string(r.Code), Message: r.Message})
	}
	return out, nil
}

func (h *Handlers) toolsRegister(_ context.Context, _ *rpc.Request, p wire.ToolsRegisterParams) (wire.ToolsRegisterResult, error) {
	return h.RegisterTools(p)
}

func (h *Handlers) toolsUnregister(_ context.Context, _ *rpc.Request, p wire.ToolsUnregisterParams) (wire.ToolsUnregisterResult, error) {
	if h.Tools == nil {
		return wire.ToolsUnregisterResult{}, notOffered("companion/tools/unregister")
	}
	removed, unknown, revision := h.Tools.Unregister(p.Owner, p.Names)
	return wire.ToolsUnregisterResult{Removed: wire.List(removed), Unknown: wire.List(unknown), Revision: revision}, nil
}

func (h *Handlers) toolsSetEnabled(_ context.Context, _ *rpc.Request, p wire.ToolsSetEnabledParams) (wire.Revision, error) {
	if h.Tools == nil {
		return wire.Revision{}, notOffered("companion/tools/setEnabled")
	}
	if p.ThreadID != "" {
		if err := h.known(p.ThreadID); err != nil {
			return wire.Revision{}, err
		}
	}
	return wire.Revision{Revision: h.Tools.SetEnabled(p.Names, *p.Enabled, p.ThreadID)}, nil
}

func (h *Handlers) toolsList(_ context.Context, _ *rpc.Request, p wire.ToolsListParams) (wire.ToolsListResult, error) {
	var specs []tools.Spec
	out := wire.ToolsListResult{Tools: []wire.ToolInfo{}}
	if h.Specs != nil {
		specs, out.Revision = h.Specs()
	}
	if p.ThreadID != "" {
		if err := h.known(p.ThreadID); err != nil {
			return out, err
		}
	}
	stands := make([]tools.Standing, len(specs))
	if h.Stand != nil {
		var err error
		if stands, err = h.Stand(p.ThreadID, p.Model, specs); err != nil {
			return out, err
		}
	}
	for i, s := range specs {
		t := wire.ToolInfo{
			Name: s.Name, Namespace: s.Namespace, Source: cmp.Or(s.Source, tools.BuiltIn),
			Form: cmp.Or(s.Form, tools.Function), Exposure: cmp.Or(stands[i].Exposure, s.Exposure, tools.Direct),
			Enabled: stands[i].Barred == "", Reason: stands[i].Barred, ReadOnly: s.ReadOnly, Owner: s.Owner, Description: s.Description, InputSchema: s.Input,
		}
		out.Tools = append(out.Tools, t)
	}
	return out, nil
}
