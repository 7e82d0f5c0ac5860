package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// ErrDown: the other end is gone or the talk with it broke.
var ErrDown = errors.New("the language server is down")

// A Handler takes a request or, with reply nil, a notification. It runs on the
// read goroutine and must not wait; reply may be called later, once. Params
// are the handler's to keep.
type Handler func(method string, params json.RawMessage, reply func(result any, err error))

// Peer is one end of a JSON-RPC talk in LSP's framing, by jsonrpc2's stream and
// messages. Its Conn is not used: that keeps the channels of pending calls in
// one pool of the process, which two bubbles of testing/synctest must not
// share, and closes at one unreadable message.
type Peer struct {
	stream jsonrpc2.Stream
	handle Handler
	log    func(err error)
	done   chan struct{}

	mu      sync.Mutex
	next    int64
	pending map[int64]chan *jsonrpc2.Response // capacity 1
	closed  bool
}

// NewPeer talks over rw; log hears of unreadable messages. Nothing is read
// before Run.
func NewPeer(rw io.ReadWriteCloser, h Handler, log func(err error)) *Peer {
	return &Peer{
		stream: jsonrpc2.NewStream(rw), handle: h, log: log, done: make(chan struct{}),
		pending: map[int64]chan *jsonrpc2.Response{},
	}
}

// Run reads until the other end is gone, which it returns as an error (io.EOF
// at a clean end). Pending calls fail then.
func (p *Peer) Run() error {
	err := p.read()
	p.mu.Lock()
	p.closed = true
	for id, ch := range p.pending {
		delete(p.pending, id)
		close(ch)
	}
	p.mu.Unlock()
	close(p.done)
	return err
}

// frames is what jsonrpc2's header stream can do besides Stream.
type frames interface {
	ReadFrame(ctx context.Context) ([]byte, int64, error)
}

func (p *Peer) read() error {
	fr, ok := p.stream.(frames)
	if !ok {
		return errors.New("jsonrpc2's stream gives no frames")
	}
	for {
		body, _, err := fr.ReadFrame(context.Background())
		if err != nil {
			return err
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			p.log(fmt.Errorf("an unreadable message of %d bytes: %w", len(body), err))
			continue
		}
		switch m := msg.(type) {
		case *jsonrpc2.Response:
			p.deliver(m)
		case *jsonrpc2.Notification:
			p.handle(strings.Clone(m.Method()), bytes.Clone(m.Params()), nil)
		case *jsonrpc2.Call:
			id := m.ID()
			p.handle(strings.Clone(m.Method()), bytes.Clone(m.Params()), func(result any, err error) { p.reply(id, result, err) })
		}
	}
}

func (p *Peer) deliver(m *jsonrpc2.Response) {
	n, ok := m.ID().Number()
	if !ok {
		return
	}
	p.mu.Lock()
	ch := p.pending[n]
	delete(p.pending, n)
	p.mu.Unlock()
	if ch != nil { // else it was given up
		ch <- m
	}
}

func (p *Peer) reply(id jsonrpc2.ID, result any, err error) {
	var raw []byte
	if err == nil {
		raw, err = encode(result)
	}
	if _, err := p.stream.Write(context.Background(), jsonrpc2.NewResponse(id, raw, err)); err != nil {
		p.log(err)
	}
}

// Call sends a request and waits for its result. When ctx ends first the other
// end is told with $/cancelRequest; when it is gone the error is ErrDown.
func (p *Peer) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := encode(params)
	if err != nil {
		return nil, err
	}
	ch := make(chan *jsonrpc2.Response, 1)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrDown
	}
	p.next++
	id := p.next
	p.pending[id] = ch
	p.mu.Unlock()
	if _, err := p.stream.Write(ctx, jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, raw)); err != nil {
		p.mu.Lock()
		delete(p.pending, id)
		p.mu.Unlock()
		return nil, fmt.Errorf("%w: %w", ErrDown, err)
	}
	select {
	case m, ok := <-ch:
		switch {
		case !ok:
			return nil, ErrDown
		case m.Err() != nil:
			return nil, m.Err()
		}
		return json.RawMessage(m.Result()), nil
	case <-ctx.Done():
		p.mu.Lock()
		delete(p.pending, id)
		p.mu.Unlock()
		_ = p.Notify(protocol.MethodCancelRequest, map[string]any{"id": id})
		return nil, ctx.Err()
	}
}

// Notify sends a notification.
func (p *Peer) Notify(method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return err
	}
	if _, err := p.stream.Write(context.Background(), jsonrpc2.NewNotification(method, raw)); err != nil {
		return fmt.Errorf("%w: %w", ErrDown, err)
	}
	return nil
}

// Done is closed when Run has ended.
func (p *Peer) Done() <-chan struct{} { return p.done }

// encode passes raw JSON through; nil params are left out, a nil result is
// null.
func encode(v any) (jsonrpc2.RawMessage, error) {
	switch m := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return jsonrpc2.RawMessage(m), nil
	}
	return json.Marshal(v)
}

// NotFound is the error for a method that is not served.
func NotFound(method string) error {
	return jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", method)
}

// OrNull is raw, or JSON null where there is none.
func OrNull(b json.RawMessage) json.RawMessage {
	if b == nil {
		return json.RawMessage("null")
	}
	return b
}
