package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"go.lsp.dev/uri"

	"companion/diagnostics/wire"
)

// Session is one run of the server.
type Session struct {
	srv   *Server
	n     int
	conn  *wire.Peer
	in    *io.PipeReader
	out   *io.PipeWriter
	wg    conc.WaitGroup
	ctx   context.Context
	stop  context.CancelFunc
	queue chan func() // sends, in order, off the read goroutine

	mu        sync.Mutex
	hung      bool
	published int
	docs      map[string]*doc
}

type doc struct {
	version   int32
	text      string
	before    string // the text before the last change
	open      bool
	last      string // the list published last, as JSON
	published bool
	change    int
}

type pipes struct {
	*io.PipeReader
	*io.PipeWriter
}

func (p pipes) Close() error { return errors.Join(p.PipeReader.Close(), p.PipeWriter.Close()) }

func newSession(s *Server, n int, in *io.PipeReader, out *io.PipeWriter) *Session {
	ses := &Session{srv: s, n: n, in: in, out: out, docs: map[string]*doc{}, queue: make(chan func(), 1024)}
	ses.ctx, ses.stop = context.WithCancel(context.Background())
	ses.conn = wire.NewPeer(pipes{in, out}, ses.handle, func(error) {})
	return ses
}

func (s *Session) start() {
	s.wg.Go(func() { _ = s.conn.Run() })
	s.wg.Go(func() {
		for {
			select {
			case f := <-s.queue:
				f()
			case <-s.ctx.Done():
				return
			}
		}
	})
}

// end stops the session at once.
func (s *Session) end() {
	s.stop()
	_ = s.in.Close()
	_ = s.out.Close()
}

// Context ends with the session.
func (s *Session) Context() context.Context { return s.ctx }

// Die ends the session as a crash would.
func (s *Session) Die() { s.end() }

// Notify sends the client a notification.
func (s *Session) Notify(method string, params any) {
	s.later(func() { _ = s.conn.Notify(method, params) })
}

// Call asks the client and waits for its answer.
func (s *Session) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return s.conn.Call(ctx, method, params)
}

// Text is what the session has of a path, "" when it is not open.
func (s *Session) Text(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[string(uri.File(path))]; d != nil && d.open {
		return d.text
	}
	return ""
}

// Version is the version of an open path, 0 when it is not open.
func (s *Session) Version(path string) int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[string(uri.File(path))]; d != nil && d.open {
		return d.version
	}
	return 0
}

func (s *Session) later(f func()) {
	select {
	case s.queue <- f:
	case <-s.ctx.Done():
	}
}

// handle takes one message of the client, on the read goroutine.
func (s *Session) handle(method string, params json.RawMessage, reply func(any, error)) {
	o := s.srv.opt
	s.srv.note(Entry{s.n, method, params})
	s.mu.Lock()
	hung := s.hung
	s.mu.Unlock()
	if hung || method == "initialize" && o.NeverInitialize || method == "textDocument/diagnostic" && o.Pull == NeverAnswers {
		return
	}
	answer := func(result any, err error) {
		if reply != nil {
			s.later(func() { reply(result, err) })
		}
	}
	if f := o.Answers[method]; f != nil {
		s.wg.Go(func() { answer(f(s, params)) }) // it may ask the client something
		return
	}
	switch method {
	case "initialize":
		answer(s.initialize(), nil)
	case "initialized":
		s.register()
	case "exit":
		s.later(s.end)
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose":
		s.sync(method, params)
	case "workspace/didChangeWatchedFiles":
		s.watched(params)
	case "textDocument/diagnostic": // needs no debounce, but is not free
		s.after(o.Debounce/4, func() { answer(s.pull(params), nil) })
	case "textDocument/codeAction":
		answer(s.actions(params), nil)
	case "textDocument/documentSymbol":
		answer(json.RawMessage("[]"), nil)
	case "workspace/symbol":
		answer(s.symbols(params), nil)
	case "shutdown":
		answer(json.RawMessage("null"), nil)
	default:
		answer(nil, wire.NotFound(method))
	}
}

func (s *Session) initialize() any {
	caps := map[string]any{
		"textDocumentSync": 1, "codeActionProvider": true, "documentSymbolProvider": true, "hoverProvider": true,
		"definitionProvider": true, "workspaceSymbolProvider": true,
	}
	if p := s.srv.opt.Pull; p == StaticPull || p == NeverAnswers {
		caps["diagnosticProvider"] = s.provider()
	}
	return map[string]any{"capabilities": caps, "serverInfo": map[string]any{"name": "lsptest", "version": "1.0"}}
}

func (s *Session) provider() map[string]any {
	return map[string]any{"interFileDependencies": true, "workspaceDiagnostics": false, "identifier": s.srv.opt.Identifier}
}

func (s *Session) register() {
	var regs []any
	if s.srv.opt.Pull == DynamicPull {
		regs = append(regs, map[string]any{"id": "pull", "method": "textDocument/diagnostic", "registerOptions": s.provider()})
	}
	if len(s.srv.opt.Watch) > 0 {
		var ws []any
		for _, g := range s.srv.opt.Watch {
			ws = append(ws, map[string]any{"globPattern": g})
		}
		regs = append(regs, map[string]any{
			"id": "watch", "method": "workspace/didChangeWatchedFiles", "registerOptions": map[string]any{"watchers": ws},
		})
	}
	if len(regs) == 0 {
		return
	}
	s.after(s.srv.opt.RegisterAfter, func() {
		_, _ = s.Call(s.ctx, "client/registerCapability", map[string]any{"registrations": regs})
	})
}

// after runs f later, off the read goroutine.
func (s *Session) after(d time.Duration, f func()) {
	s.wg.Go(func() {
		select {
		case <-time.After(d):
			f()
		case <-s.ctx.Done():
		}
	})
}

func (s *Session) sync(method string, params json.RawMessage) {
	var p struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int32  `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		d = &doc{}
		s.docs[p.TextDocument.URI] = d
	}
	switch method {
	case "textDocument/didOpen":
		d.open, d.version, d.before, d.text, d.published = true, p.TextDocument.Version, "", p.TextDocument.Text, false
	case "textDocument/didChange":
		d.before, d.version = d.text, p.TextDocument.Version
		for _, c := range p.ContentChanges {
			d.text = c.Text
		}
	default:
		d.open = false
	}
	d.change++
	open := d.open
	if method == "textDocument/didOpen" && s.srv.opt.HangOnOpen {
		s.hung = true
	}
	s.mu.Unlock()
	if method == "textDocument/didOpen" && s.srv.opt.DieOnOpen {
		s.Die()
		return
	}
	if open {
		s.changed(p.TextDocument.URI)
	}
}

// watched reads what the client says changed on disk.
func (s *Session) watched(params json.RawMessage) {
	var p struct {
		Changes []struct {
			URI  string `json:"uri"`
			Type int    `json:"type"`
		} `json:"changes"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	for _, c := range p.Changes {
		u, err := uri.Parse(c.URI)
		if err != nil || !u.IsFile() {
			continue
		}
		raw, err := os.ReadFile(u.FsPath())
		s.mu.Lock()
		if d := s.docs[c.URI]; d == nil || !d.open {
			if err != nil {
				delete(s.docs, c.URI)
			} else {
				s.docs[c.URI] = &doc{text: string(raw)}
			}
		}
		s.mu.Unlock()
		s.changed(c.URI)
	}
}
