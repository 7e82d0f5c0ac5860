package command

import (
	"context"
	"encoding/json"

	"companion/lspbridge/companion"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
)

// newest names the thread of a command that names none: the one whose pending
// changes are the newest.
func (x *Runner) newest(threadID string) (string, error) {
	if threadID != "" {
		return threadID, nil
	}
	if x.Companion.Changes == nil {
		return "", rpc.Failed("notOffered", "this companion keeps no changes")
	}
	return x.Companion.Changes.Newest(), nil
}

func (x *Runner) keep(ctx context.Context, _ *rpc.Request, arg json.RawMessage) (any, error) {
	return x.resolve(ctx, arg, x.Companion.Keep)
}

func (x *Runner) undo(ctx context.Context, _ *rpc.Request, arg json.RawMessage) (any, error) {
	return x.resolve(ctx, arg, x.Companion.Undo)
}

// resolve keeps or undoes; nothing pending at all is an empty answer.
func (x *Runner) resolve(ctx context.Context, arg json.RawMessage, f func(context.Context, wire.ChangesSelector) (wire.ChangesResult, error)) (any, error) {
	var p wire.ChangesSelector
	if err := rpc.Decode(arg, "arguments[0]", &p); err != nil {
		return nil, err
	}
	var err error
	if p.ThreadID, err = x.newest(p.ThreadID); err != nil {
		return nil, err
	}
	if p.ThreadID == "" {
		return wire.ChangesResult{Hunks: []wire.HunkOutcome{}}, nil
	}
	out, err := f(ctx, p)
	if err != nil {
		return nil, companion.Fault(err)
	}
	return out, nil
}

func (x *Runner) diff(_ context.Context, _ *rpc.Request, arg json.RawMessage) (any, error) {
	var p struct {
		ThreadID string `json:"threadId"`
		URI      string `json:"uri"`
		HunkID   string `json:"hunkId"`
	}
	if err := rpc.Decode(arg, "arguments[0]", &p); err != nil {
		return nil, err
	}
	if p.URI == "" {
		return nil, rpc.BadParam("arguments[0].uri", "missing")
	}
	var err error
	if p.ThreadID, err = x.newest(p.ThreadID); err != nil {
		return nil, err
	}
	if p.ThreadID == "" {
		return nil, rpc.Failed("stale", "no change is pending")
	}
	text, err := x.Companion.Diff(p.ThreadID, p.URI, p.HunkID)
	if err != nil {
		return nil, companion.Fault(err)
	}
	x.Show("change.diff", text)
	return wire.Text{Text: text}, nil
}
