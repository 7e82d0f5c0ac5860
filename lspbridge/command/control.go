package command

import (
	"context"
	"encoding/json"

	"companion/lspbridge/companion"
	"companion/lspbridge/rpc"
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
			return nil, companion.Fault(err)
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

// same runs a command that tier 1 has as a request.
func same(method string) run {
	return func(x *Runner, ctx context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
		return x.Companion.Call(ctx, r, method, arg, "arguments[0]")
	}
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
