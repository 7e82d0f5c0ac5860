package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Request is one request or notification of the editor.
type Request struct {
	Method string
	// Params are the bytes of params, nil when absent. They are valid until
	// the handler returns.
	Params json.RawMessage
	after  []func()
}

// AfterReply makes f run once the answer of this request is on its way, before
// anything that f sends. It must be called before the handler returns, on its
// goroutine; f must not block. Nothing runs when the handler fails.
func (r *Request) AfterReply(f func()) { r.after = append(r.after, f) }

// Handler answers one request; the result of a notification is dropped. A
// result is encoded by go.lsp.dev/protocol, json.RawMessage goes out as it is.
type Handler func(ctx context.Context, r *Request) (any, error)

// Route is what to do with one message.
type Route struct {
	Handle Handler
	// Ordered requests run on the read loop before the next message is read;
	// they must not wait.
	Ordered bool
	// Loose requests look at nothing that Bulk notifications change and do not
	// wait for those before them; all others see every notification before them.
	Loose, Bulk bool
	// Now: the notification is handled on the read loop, before those that were
	// read and still wait.
	Now bool
}

// Options of New.
type Options struct {
	// Route finds the handler. It is called on the read loop in the order of
	// the wire. An error answers a call at once; a notification without Handle
	// or with an error is dropped.
	Route func(method string, call bool) (Route, error)
	Log   *slog.Logger
	// MaxFrame is the largest frame in bytes, 0 = MaxFrame.
	MaxFrame int64
}

// Conn is a connection to one editor.
type Conn struct {
	opt    Options
	stream *stream
	lane   *lane
	conn   jsonrpc2.Conn

	calls calls

	mu       sync.Mutex
	incoming map[jsonrpc2.ID]*incoming // being handled
}

type incoming struct{ cancel context.CancelFunc }

// New gives a connection that reads from in, once started, and writes to out. It
// holds goroutines until Done and Flush.
func New(in io.Reader, out io.Writer, opt Options) *Conn {
	if opt.MaxFrame == 0 {
		opt.MaxFrame = MaxFrame
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	c := &Conn{opt: opt, incoming: map[jsonrpc2.ID]*incoming{}}
	c.calls.pending = map[jsonrpc2.ID]chan *jsonrpc2.Response{}
	c.lane = newLane()
	c.stream = newStream(in, out, opt.MaxFrame, opt.Log, c.lane, c.calls.settle)
	c.conn = jsonrpc2.NewConn(c.stream, jsonrpc2.WithCodec(codec{}))
	return c
}

// Start reads until Done. Handlers run with ctx. It must be called once.
func (c *Conn) Start(ctx context.Context) { c.conn.Go(ctx, c.handle) }

// Done is closed when nothing more is read: the editor closed its end, broke
// the framing, cannot be written to, or Stop was called.
func (c *Conn) Done() <-chan struct{} { return c.stream.ended }

// Err says why Done was closed; io.EOF for a clean end.
func (c *Conn) Err() error {
	c.stream.mu.Lock()
	defer c.stream.mu.Unlock()
	return c.stream.err
}

// Stop reads nothing after the message that is being handled.
func (c *Conn) Stop() { c.stream.end(io.EOF) }

// Flush writes what waits and ends the writer; it returns when that is done or
// ctx ends.
func (c *Conn) Flush(ctx context.Context) error {
	c.stream.flush()
	select {
	case <-c.stream.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Conn) handle(ctx context.Context, q *jsonrpc2.Request) (any, error) {
	if !q.IsCall() {
		c.notification(ctx, q)
		return nil, nil // an error would end the connection
	}
	route, err := c.opt.Route(strings.Clone(q.Method()), true)
	if err != nil {
		return nil, wireError(err, false)
	}
	if route.Handle == nil {
		return nil, Errorf(MethodNotFound, "no method %q", strings.Clone(q.Method()))
	}
	id := q.ID()
	// jsonrpc2 reuses its context once the handler returns: nothing may hang on it.
	hctx, cancel := context.WithCancel(jsonrpc2.DetachContext(ctx))
	in := &incoming{cancel}
	c.register(id, in)
	defer c.unregister(id, in)
	before := c.lane.mark(route.Loose)
	if !route.Ordered {
		jsonrpc2.Async(ctx) // q is our own from here on
	}
	select {
	case <-before:
	case <-hctx.Done():
		return nil, wireError(hctx.Err(), true)
	}
	r := &Request{Method: q.Method(), Params: json.RawMessage(q.Params())}
	result, err := c.protect(hctx, route.Handle, r)
	if err != nil {
		return nil, wireError(err, hctx.Err() != nil)
	}
	if len(r.after) > 0 {
		c.stream.afterReply(id, r.after)
	}
	return result, nil
}

func (c *Conn) notification(ctx context.Context, q *jsonrpc2.Request) {
	if q.Method() == "$/cancelRequest" {
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(q.Params(), &p) == nil {
			c.cancel(decodeID(p.ID))
		}
		return
	}
	route, err := c.opt.Route(strings.Clone(q.Method()), false)
	if err != nil || route.Handle == nil {
		return
	}
	ctx = jsonrpc2.DetachContext(ctx)
	r := &Request{Method: strings.Clone(q.Method()), Params: bytes.Clone(q.Params())} // q is reused
	run := func() {
		if _, err := c.protect(ctx, route.Handle, r); err != nil {
			c.opt.Log.Warn("notification", "method", r.Method, "err", err)
		}
	}
	if route.Now {
		run()
		return
	}
	c.lane.put(len(r.Params), route.Bulk, run)
}

// protect runs a handler; a panic fails only it.
func (c *Conn) protect(ctx context.Context, h Handler, r *Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.opt.Log.Error("panic in a handler", "method", strings.Clone(r.Method), "panic", p, "stack", string(debug.Stack()))
			result, err = nil, Errorf(InternalError, "internal error in %s: %v", strings.Clone(r.Method), p)
		}
	}()
	return h(ctx, r)
}

func (c *Conn) register(id jsonrpc2.ID, in *incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.incoming[id] = in
}

func (c *Conn) unregister(id jsonrpc2.ID, in *incoming) {
	in.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.incoming[id] == in {
		delete(c.incoming, id)
	}
}

func (c *Conn) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in := c.incoming[id]; in != nil {
		in.cancel()
	}
}

// codec encodes LSP types with the union-aware coder of go.lsp.dev/protocol and
// everything else with encoding/json.
type codec struct{}

// Marshal implements jsonrpc2.Codec.
func (codec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case jsonrpc2.RawMessage:
		return m, nil
	case json.RawMessage:
		return m, nil
	case Typed:
		return protocol.Marshal(m.Value)
	}
	return json.Marshal(v)
}

// Unmarshal implements jsonrpc2.Codec.
func (codec) Unmarshal(data []byte, v any) error {
	if p, ok := v.(*jsonrpc2.RawMessage); ok {
		*p = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return json.Unmarshal(data, v)
}

// Typed marks a value of go.lsp.dev/protocol, which encoding/json cannot code
// (its unions are interfaces).
type Typed struct{ Value any }
