package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// calls are the requests to the editor that wait for an answer. jsonrpc2's own
// bookkeeping shares pooled channels between all connections of a process,
// which virtual time (testing/synctest) does not allow, and it cannot send
// $/cancelRequest.
type calls struct {
	mu      sync.Mutex
	last    int64
	pending map[jsonrpc2.ID]chan *jsonrpc2.Response
}

func (c *calls) open() (int64, chan *jsonrpc2.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	ch := make(chan *jsonrpc2.Response, 1)
	c.pending[jsonrpc2.NewNumberID(c.last)] = ch
	return c.last, ch
}

func (c *calls) close(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, jsonrpc2.NewNumberID(id))
}

// settle hands an answer to its call; a late, double or foreign one is dropped.
func (c *calls) settle(r *jsonrpc2.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch := c.pending[r.ID()]; ch != nil {
		delete(c.pending, r.ID())
		ch <- r
	}
}

// stopTime is how long a call on a connection that has ended waits for its
// context to end.
const stopTime = time.Second

// NotifyLossy is Notify of something that may be left out when the editor does
// not read what it is sent.
func (c *Conn) NotifyLossy(method string, params any) error {
	if c.stream.behind() {
		return nil
	}
	return c.Notify(method, params)
}

// Notify sends a notification. It never waits for the editor.
func (c *Conn) Notify(method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	_, err = c.stream.Write(context.Background(), jsonrpc2.NewNotification(method, raw))
	return err
}

// Call asks the editor and decodes its answer into result (nil = ignore). The
// caller sets the deadline on ctx; when ctx ends the editor gets
// $/cancelRequest and its late answer is dropped. An error answer is an *Error.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	id, answer := c.calls.open()
	defer c.calls.close(id)
	if _, err := c.stream.Write(ctx, jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, raw)); err != nil {
		return err
	}
	select {
	case r := <-answer:
		return c.take(method, r, result)
	case <-c.stream.ended:
		select {
		case r := <-answer: // it came just before the end
			return c.take(method, r, result)
		default:
		}
		select { // the work that asked is about to be stopped: it did not fail
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(stopTime):
			return fmt.Errorf("%s: %w", method, ErrClosed)
		}
	case <-ctx.Done():
		_ = c.Notify("$/cancelRequest", struct { // a dead connection needs no cancel
			ID int64 `json:"id"`
		}{id})
		return ctx.Err()
	}
}

func (c *Conn) take(method string, r *jsonrpc2.Response, result any) error {
	var e *Error
	if errors.As(r.Err(), &e) {
		return e
	}
	raw := r.Result()
	if result == nil || len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: %w: %v", method, ErrShape, err)
	}
	return nil
}

func encode(params any) (jsonrpc2.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	return codec{}.Marshal(params)
}
