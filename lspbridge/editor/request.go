package editor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
)

// Deadline bounds reverse requests that no person answers (docs/protocol.md,
// requests to the editor).
const Deadline = 60 * time.Second

// Errors of asking an editor, besides *rpc.Error for its own errors, rpc.ErrClosed
// when it is gone and those of the context.
var (
	// ErrNotOffered: this client does not take such requests.
	ErrNotOffered = errors.New("this editor does not offer it")
	// ErrTimeout: no answer by the deadline; the request was withdrawn.
	ErrTimeout = errors.New("the editor did not answer in time")
	// ErrShape: the answer has not the shape that it must have.
	ErrShape = rpc.ErrShape
)

// ask sends one companion/* request and checks the shape of the answer, a JSON
// object. deadline 0 = the person may take as long as they like. Whatever ends
// the wait withdraws the request; a later answer is dropped.
func ask[R any](ctx context.Context, e *Editor, offered bool, method string, params any, deadline time.Duration) (R, error) {
	var out R
	raw, err := e.request(ctx, offered, method, params, deadline)
	if err != nil {
		return out, err
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return out, fmt.Errorf("%w: %s where an object is expected", ErrShape, kind(raw))
	}
	if err := rpc.Decode(raw, "result", &out); err != nil {
		return out, shape(err)
	}
	if err := wire.Check(out, "result"); err != nil {
		return out, shape(err)
	}
	return out, nil
}

// request is ask without a look at the answer.
func (e *Editor) request(ctx context.Context, offered bool, method string, params any, deadline time.Duration) (json.RawMessage, error) {
	if !offered {
		return nil, fmt.Errorf("%s: %w", method, ErrNotOffered)
	}
	call := ctx
	if deadline > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(ctx, deadline, ErrTimeout)
		defer cancel()
	}
	var raw json.RawMessage
	err := e.conn.Call(call, method, params, &raw)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(call), ErrTimeout) {
		return nil, fmt.Errorf("%w: %s after %v", ErrTimeout, method, deadline)
	}
	if rpc.IsCode(err, rpc.MethodNotFound) {
		return nil, fmt.Errorf("%s: %w: %w", method, ErrNotOffered, err)
	}
	return raw, err
}

// shape words what Decode and Check found for the model.
func shape(err error) error {
	var e *rpc.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w: %s", ErrShape, e.Message)
	}
	return fmt.Errorf("%w: %v", ErrShape, err)
}

// kind names what JSON holds; of null the connection leaves nothing.
func kind(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '[':
		return "an array"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}
