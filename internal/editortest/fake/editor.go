package fake

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"companion/internal/editortest/fake/lent"
	"companion/internal/editortest/fake/progress"
	"companion/internal/editortest/fake/shape"
	"companion/internal/editortest/fake/wire"
)

// Editor is one client on one connection.
type Editor struct {
	opt  Options
	rwc  io.ReadWriteCloser
	wg   conc.WaitGroup
	done chan struct{} // closed when the server's side has ended

	out *wire.Outbox

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change below
	state
}

// state is all that Editor.mu guards.
type state struct {
	started  time.Time
	nextID   int
	calls    map[string]*call
	asked    map[string]*reverse // requests of the server, by id, for ever
	docs     map[string]*Document
	progress *progress.Board

	applied  int // workspace/applyEdit seen
	answers  []string
	hold     bool
	question *reverse // the open message request

	desk     lent.Desk  // what tier 1 is asked
	lent     []*reverse // the requests of it, in order
	events   []Event
	messages []Message
	shown    []string
	entries  []Entry
	problems []string

	encoding string
	syncKind int // 1 full, 2 incremental
	result   json.RawMessage
	ended    bool
	gone     bool // we went first
	err      error
}

// call is a request of ours.
type call struct {
	method  string
	starts  bool // a command that starts a turn
	params  json.RawMessage
	done    chan struct{}
	answer  wire.Message
	settled bool
}

// reverse is a request of the server's.
type reverse struct {
	id        json.RawMessage
	method    string
	params    json.RawMessage
	answered  bool
	withdrawn bool
	ask       *lent.Ask // nil = none of tier 1
	cancelled func()    // what to do on $/cancelRequest; nil = answer -32800
}

// Connect starts an editor on a connection. Nothing is sent before Initialize.
func Connect(rwc io.ReadWriteCloser, opt Options) *Editor {
	if opt.Timeout == 0 {
		opt.Timeout = 30 * time.Second
	}
	e := &Editor{opt: opt, rwc: rwc, done: make(chan struct{}), changed: make(chan struct{}), out: wire.NewOutbox()}
	e.state = state{
		started: time.Now(), calls: map[string]*call{}, asked: map[string]*reverse{},
		docs: map[string]*Document{}, progress: progress.NewBoard(), encoding: "utf-16", syncKind: 2,
		answers: append([]string(nil), opt.Answers...), hold: opt.Hold,
	}
	e.wg.Go(e.read)
	e.wg.Go(e.write)
	return e
}

// Close ends the connection at once, as a crash of the editor would, and waits
// for the editor's goroutines.
func (e *Editor) Close() error {
	e.mu.Lock()
	e.gone = !e.ended
	e.mu.Unlock()
	err := e.rwc.Close()
	e.out.Close()
	e.wg.Wait()
	return err
}

// Done is closed when the server has ended the connection.
func (e *Editor) Done() <-chan struct{} { return e.done }

func (e *Editor) read() {
	r := bufio.NewReader(e.rwc)
	var err error
	for err == nil {
		var body []byte
		if body, err = wire.ReadFrame(r); err == nil {
			e.hear(body)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var bad *wire.FrameError
	if errors.As(err, &bad) {
		e.problem("the server's stdout: %v", err)
	}
	e.ended, e.err = true, err
	for _, c := range e.calls {
		if !c.settled {
			c.settled = true
			close(c.done)
		}
	}
	close(e.done)
	e.touch()
	e.out.Close()
}

// hear takes one message of the server.
func (e *Editor) hear(body []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.touch()
	var m wire.Message
	if err := json.Unmarshal(body, &m); err != nil || m.JSONRPC != "2.0" {
		e.problem("a message is no JSON-RPC 2.0 object: %s", wire.Cut(string(body)))
		return
	}
	e.record(Entry{Server: true, Method: m.Method, ID: string(m.ID), Body: body})
	switch {
	case m.Method == "" && m.ID != nil:
		e.settle(m, body)
	case m.Method != "" && m.ID != nil:
		e.serve(m)
	case m.Method != "":
		e.notice(m)
	default:
		e.problem("a message has neither method nor id: %s", wire.Cut(string(body)))
	}
}

// settle takes an answer of the server's.
func (e *Editor) settle(m wire.Message, body []byte) {
	c := e.calls[string(m.ID)]
	var shape struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(body, &shape)
	_ = json.Unmarshal(body, &keys)
	_, hasResult := keys["result"]
	_, hasError := keys["error"]
	switch {
	case c == nil && string(m.ID) == "null" && m.Error != nil: // the answer to what could not be read
		return
	case c == nil:
		e.problem("an answer to request %s that was never asked", m.ID)
		return
	case c.settled:
		e.problem("a second answer to request %s (%s)", m.ID, c.method)
		return
	case hasResult == hasError:
		e.problem("the answer to %s must have either result or error: %s", c.method, wire.Cut(string(body)))
	}
	c.answer, c.settled = m, true
	close(c.done)
}

// send queues a message; it never waits.
func (e *Editor) send(m wire.Message) {
	m.JSONRPC = "2.0"
	body := wire.Encode(m)
	e.record(Entry{Method: m.Method, ID: string(m.ID), Body: body})
	e.out.Put(wire.AppendFrame(nil, body))
}

// SendRaw queues bytes as they are, for tests of bad frames.
func (e *Editor) SendRaw(b []byte) { e.out.Put(b) }

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.send(wire.Message{Method: method, Params: wire.Encode(params)})
}

// Request asks the server and decodes its result into result (may be nil). The
// error is a *ResponseError, ctx's error, or says that the connection ended. A
// ctx that ends sends $/cancelRequest.
func (e *Editor) Request(ctx context.Context, method string, params, result any) error {
	var raw json.RawMessage
	if params != nil {
		raw = wire.Encode(params)
	}
	e.mu.Lock()
	c, id := e.ask(method, raw)
	e.mu.Unlock()
	timer := time.NewTimer(e.opt.Timeout)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-ctx.Done():
		e.Notify("$/cancelRequest", map[string]any{"id": id})
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("%s: no answer within %v", method, e.opt.Timeout)
	}
	switch {
	case c.answer.ID == nil:
		return fmt.Errorf("%s: the connection ended before the answer", method)
	case c.answer.Error != nil:
		return c.answer.Error
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(c.answer.Result, result); err != nil {
		return fmt.Errorf("%s: result %s: %w", method, wire.Cut(string(c.answer.Result)), err)
	}
	return nil
}

func (e *Editor) ask(method string, params json.RawMessage) (*call, int) {
	e.nextID++
	id := e.nextID
	c := &call{method: method, params: params, done: make(chan struct{}), starts: shape.StartsTurn(method, params)}
	if e.ended {
		c.settled = true
		close(c.done)
		return c, id
	}
	e.calls[fmt.Sprint(id)] = c
	e.send(wire.Message{ID: wire.Encode(id), Method: method, Params: params})
	return c, id
}

// problem records a breach; e.mu is held.
func (e *Editor) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	e.problems = append(e.problems, text)
	e.record(Entry{Problem: text})
}

// Problems are all breaches of the protocol so far, and what is left open:
// prepared answers that nobody asked for, a progress without its end (once the
// connection has ended).
func (e *Editor) Problems() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := append([]string(nil), e.problems...)
	for _, p := range e.desk.Unused() {
		out = append(out, fmt.Sprintf("the reply to %s was prepared and never asked for", p))
	}
	for _, a := range e.answers {
		out = append(out, fmt.Sprintf("the answer %q was prepared and never asked for", a))
	}
	if e.ended && !e.gone {
		for _, p := range e.progress.All() {
			if p.Begun && !p.Ended {
				out = append(out, fmt.Sprintf("progress %s (%s) has no end", p.Token, p.Title))
			}
		}
	}
	return out
}

// touch wakes those who wait; e.mu is held.
func (e *Editor) touch() {
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *Editor) write() {
	for {
		frames := e.out.Take()
		if frames == nil {
			return
		}
		for _, f := range frames {
			if _, err := e.rwc.Write(f); err != nil {
				return
			}
		}
	}
}
