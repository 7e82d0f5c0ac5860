package command

import (
	"context"
	"encoding/json"

	"companion/lspbridge/rpc"
	"companion/session"
	"companion/tools"

	"go.lsp.dev/uri"
)

func (x *Runner) stop(ctx context.Context, _ *rpc.Request, arg json.RawMessage) (any, error) {
	var p struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
	}
	if err := rpc.Decode(arg, "arguments[0]", &p); err != nil {
		return nil, err
	}
	type result struct {
		Stopped []string `json:"stopped"`
	}
	if p.ThreadID == "" && p.TurnID == "" {
		stopped := x.Agent.StopAll(ctx)
		if stopped == nil {
			stopped = []string{}
		}
		return result{stopped}, nil
	}
	out := result{[]string{}}
	for _, t := range x.Agent.Running() {
		if p.ThreadID != "" && t.Thread != p.ThreadID || p.TurnID != "" && t.Turn != p.TurnID {
			continue
		}
		if err := x.Agent.Stop(ctx, t.Thread, t.Turn); err != nil {
			return nil, wire(err)
		}
		out.Stopped = append(out.Stopped, t.Turn)
	}
	if len(out.Stopped) == 0 && p.TurnID != "" {
		return nil, rpc.Failed("turnNotFound", "no turn %s is running", p.TurnID)
	}
	return out, nil
}

func (x *Runner) approve(_ context.Context, _ *rpc.Request, arg json.RawMessage) (any, error) {
	var p struct {
		CallID   string `json:"callId"`
		OptionID string `json:"optionId"`
	}
	if err := rpc.Decode(arg, "arguments[0]", &p); err != nil {
		return nil, err
	}
	if p.CallID == "" {
		return nil, rpc.BadParam("arguments[0].callId", "missing")
	}
	if p.OptionID == "" {
		return nil, rpc.BadParam("arguments[0].optionId", "missing")
	}
	if err := x.Approve(p.CallID, p.OptionID); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

func (x *Runner) threads(context.Context, *rpc.Request, json.RawMessage) (any, error) {
	list, err := x.Agent.Threads()
	if err != nil {
		return nil, wire(err)
	}
	out := make([]session.Info, 0, len(list))
	for _, t := range list {
		if t.Cwd != "" {
			t.Cwd = string(uri.File(t.Cwd)) // on the wire every place is a URI
		}
		out = append(out, t)
	}
	return struct {
		Threads []session.Info `json:"threads"`
	}{out}, nil
}

// toolInfo is one tool as companion/tools/list shows it.
type toolInfo struct {
	Name        string          `json:"name"`
	Namespace   string          `json:"namespace,omitempty"`
	Source      tools.Source    `json:"source"`
	Form        tools.Form      `json:"form"`
	Exposure    tools.Exposure  `json:"exposure"`
	Enabled     bool            `json:"enabled"`
	ReadOnly    bool            `json:"readOnly"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

func (x *Runner) tools(context.Context, *rpc.Request, json.RawMessage) (any, error) {
	specs := x.Tools()
	out := make([]toolInfo, 0, len(specs))
	for _, s := range specs {
		t := toolInfo{s.Name, s.Namespace, s.Source, s.Form, s.Exposure, true, s.ReadOnly, s.Description, s.Input}
		if t.Source == "" {
			t.Source = tools.BuiltIn
		}
		if t.Form == "" {
			t.Form = tools.Function
		}
		if t.Exposure == "" {
			t.Exposure = tools.Direct
		}
		out = append(out, t)
	}
	return struct {
		Tools []toolInfo `json:"tools"`
	}{out}, nil
}

func (x *Runner) status(context.Context, *rpc.Request, json.RawMessage) (any, error) {
	return x.Status(), nil
}

func (x *Runner) restartServer(_ context.Context, _ *rpc.Request, arg json.RawMessage) (any, error) {
	var p struct {
		Server string `json:"server"`
	}
	if err := rpc.Decode(arg, "arguments[0]", &p); err != nil {
		return nil, err
	}
	names := x.Restart(p.Server)
	if names == nil {
		names = []string{}
	}
	return struct {
		Restarted []string `json:"restarted"`
	}{names}, nil
}
