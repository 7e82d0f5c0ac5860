package lspbridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"companion/agent"
	"companion/session"
	"companion/tools"
	"companion/workspace"
)

// patience is how long a test waits for what must come; only a failing test
// waits so long.
const patience = 20 * time.Second

// message is one JSON-RPC message as a peer sees it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// peer is an editor reduced to its connection.
type peer struct {
	t      *testing.T
	in     io.WriteCloser // to the server
	got    chan message   // all messages, in the order of the wire
	bodies chan string    // the same, as bytes; only wire tests read them
	code   chan int       // Serve's result
	log    *lockedBuffer
	next   int
	held   []message // read while looking for something else
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// serve starts a server and gives its editor.
func serve(t *testing.T, o Options) *peer {
	t.Helper()
	p := &peer{t: t, got: make(chan message, 100_000), bodies: make(chan string, 100_000), code: make(chan int, 1), log: &lockedBuffer{}}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(p.log, nil))
	}
	if o.Build == nil {
		o.Build = (&fake{}).build
	}
	serverIn, serverOut, reader := (*io.PipeReader)(nil), (*io.PipeWriter)(nil), (*io.PipeReader)(nil)
	serverIn, p.in = io.Pipe()
	reader, serverOut = io.Pipe()
	go func() { p.code <- New(o).Serve(context.Background(), serverIn, serverOut); serverOut.Close() }()
	go p.read(reader)
	t.Cleanup(func() {
		p.in.Close()
		select {
		case <-p.code:
		case <-time.After(patience):
			t.Error("the server did not end")
		}
		if t.Failed() {
			t.Log("server log:\n" + p.log.String())
		}
	})
	return p
}

func (p *peer) read(r io.Reader) {
	defer close(p.got)
	in := bufio.NewReader(r)
	for {
		body, err := readFrame(in)
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			p.t.Errorf("the server sent no JSON: %q", body)
			return
		}
		p.got <- m
		p.bodies <- string(body)
	}
}

func readFrame(in *bufio.Reader) ([]byte, error) {
	h, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(h.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(in, body)
	return body, err
}

func (p *peer) raw(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, s); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

func (p *peer) send(body string) {
	p.t.Helper()
	p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (p *peer) notify(method, params string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// request sends and gives the id; params "" = none.
func (p *peer) request(method, params string) int {
	p.t.Helper()
	p.next++
	if params != "" {
		params = `,"params":` + params
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q%s}`, p.next, method, params))
	return p.next
}

// call sends and waits for the answer.
func (p *peer) call(method, params string) message {
	p.t.Helper()
	return p.answer(p.request(method, params))
}

func (p *peer) answer(id int) message {
	p.t.Helper()
	return p.find(fmt.Sprintf("the answer to %d", id), func(m message) bool { return m.Method == "" && string(m.ID) == strconv.Itoa(id) })
}

// expect waits for a request or notification of the server.
func (p *peer) expect(method string) message {
	p.t.Helper()
	return p.find(method, func(m message) bool { return m.Method == method })
}

func (p *peer) find(what string, ok func(message) bool) message {
	p.t.Helper()
	for i, m := range p.held {
		if ok(m) {
			p.held = append(p.held[:i], p.held[i+1:]...)
			return m
		}
	}
	late := time.After(patience)
	for {
		select {
		case m, open := <-p.got:
			if !open {
				p.t.Fatalf("the connection ended before %s", what)
			}
			if ok(m) {
				return m
			}
			p.held = append(p.held, m)
		case <-late:
			p.t.Fatalf("no %s; held: %+v", what, p.held)
		}
	}
}

// missing takes the note of what the client does not offer, which comes with
// the first turn.
func (p *peer) missing() {
	p.t.Helper()
	p.find("the note of what is missing", func(m message) bool {
		return m.Method == "window/logMessage" && strings.Contains(string(m.Params), "this editor offers no ")
	})
}

func (p *peer) reply(to message, result string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, to.ID, result))
}

func (p *peer) refuse(to message, code int) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, to.ID, code))
}

// initialize shakes hands with the capabilities and options given as JSON
// objects, "" = {}.
func (p *peer) initialize(caps, options string) message {
	p.t.Helper()
	if caps == "" {
		caps = "{}"
	}
	if options == "" {
		options = "{}"
	}
	m := p.call("initialize", fmt.Sprintf(`{"processId":null,"rootUri":null,"capabilities":%s,"initializationOptions":%s}`, caps, options))
	if m.Error != nil {
		p.t.Fatalf("initialize: %+v", m.Error)
	}
	p.notify("initialized", "{}")
	return m
}

// exit waits for Serve.
func (p *peer) exit() int {
	p.t.Helper()
	select {
	case c := <-p.code:
		p.code <- c // for the cleanup
		return c
	case <-time.After(patience):
		p.t.Fatal("the server did not end")
		return -1
	}
}

// fake is a Backend whose agent runs what turn does.
type fake struct {
	roots []string
	turn  func(ctx context.Context, f *fake, t *fakeTurn)
	tune  func(*Backend)

	mu        sync.Mutex
	init      Init
	workspace *workspace.Workspace
	sinks     []func(session.Event)
	turns     []*fakeTurn
	running   map[*fakeTurn]context.CancelFunc
	opened    []string
	known     map[string][]tools.Diagnostic
	hasServer bool
	closed    bool
	newTurn   error
}

type fakeTurn struct {
	f    *fake
	o    agent.TurnOptions
	id   string
	th   string
	done chan struct{}
	seq  int64
}

func (f *fake) build(_ context.Context, in Init) (*Backend, error) {
	roots := in.Roots
	if f.roots != nil {
		roots = f.roots
	}
	w, err := workspace.New(workspace.Options{Roots: roots, Editor: in.Editor})
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.init, f.workspace, f.running = in, w, map[*fakeTurn]context.CancelFunc{}
	b := &Backend{
		Workspace: w, Agent: f, Diagnostics: f,
		Subscribe: func(sink func(session.Event)) func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.sinks = append(f.sinks, sink)
			return func() {}
		},
		Close: func(context.Context) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.closed = true
			return nil
		},
	}
	if f.tune != nil {
		f.tune(b)
	}
	return b, nil
}

func (f *fake) emit(ev session.Event) {
	f.mu.Lock()
	sinks := f.sinks
	f.mu.Unlock()
	for _, s := range sinks {
		s(ev)
	}
}

func (f *fake) NewTurn(o agent.TurnOptions) (Turn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newTurn != nil {
		return nil, f.newTurn
	}
	t := &fakeTurn{f: f, o: o, id: fmt.Sprintf("turn%d", len(f.turns)+1), th: o.Thread, done: make(chan struct{})}
	if t.th == "" {
		t.th = fmt.Sprintf("thread%d", len(f.turns)+1)
	}
	f.turns = append(f.turns, t)
	return t, nil
}

func (t *fakeTurn) ID() string       { return t.id }
func (t *fakeTurn) ThreadID() string { return t.th }

func (t *fakeTurn) tell(ev session.Event) {
	ev.Thread, ev.Turn = t.th, t.id
	if ev.Type.Durable() {
		t.seq++
		ev.Seq = t.seq
	} else {
		ev.AfterSeq = t.seq
	}
	t.f.emit(ev)
}

func (t *fakeTurn) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.f.mu.Lock()
	t.f.running[t] = cancel
	t.f.mu.Unlock()
	t.tell(session.Event{Type: session.TurnStarted, Input: t.o.Input, Mode: string(t.o.Mode)})
	if t.f.turn != nil {
		t.f.turn(ctx, t.f, t)
	}
	status := "completed"
	if ctx.Err() != nil {
		status = "stopped"
	}
	t.tell(session.Event{Type: session.TurnCompleted, Status: status})
	t.f.mu.Lock()
	delete(t.f.running, t)
	t.f.mu.Unlock()
	close(t.done)
}

func (f *fake) Stop(ctx context.Context, _, id string) error {
	f.mu.Lock()
	var found *fakeTurn
	for t, cancel := range f.running {
		if t.id == id {
			found = t
			cancel()
		}
	}
	f.mu.Unlock()
	if found == nil {
		return agent.ErrTurnNotFound
	}
	select {
	case <-found.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fake) StopAll(ctx context.Context) []string {
	var ids []string
	for _, r := range f.Running() {
		if f.Stop(ctx, r.Thread, r.Turn) == nil {
			ids = append(ids, r.Turn)
		}
	}
	return ids
}

func (f *fake) Running() []RunningTurn {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []RunningTurn
	for t := range f.running {
		out = append(out, RunningTurn{Thread: t.th, Turn: t.id})
	}
	return out
}

func (f *fake) Threads() ([]session.Info, error) { return nil, nil }

func (f *fake) Open(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, path)
}

func (f *fake) Known(path string) ([]tools.Diagnostic, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.known[path]
	return d, ok
}

func (f *fake) HasServer(string) bool        { return f.hasServer }
func (f *fake) Restart(name string) []string { return strings.Fields(name) }

// waitFor polls a condition that another goroutine brings about.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not in time: %s", what)
		}
	}
}
