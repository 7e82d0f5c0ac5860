package lsptest

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"companion/diagnostics/wire"
)

// PullMode is how the server offers textDocument/diagnostic.
type PullMode string

// The modes of pull diagnostics.
const (
	NoPull       PullMode = ""
	StaticPull   PullMode = "static"
	DynamicPull  PullMode = "dynamic" // registered RegisterAfter after initialized
	NeverAnswers PullMode = "never"   // offered, and no request is answered
)

// Options are the ways in which the server misbehaves; the zero value pushes
// versioned diagnostics at once.
type Options struct {
	Debounce        time.Duration // before a publish; a new change starts it again
	NoVersion       bool          // publishes carry no version
	SilentUnchanged bool          // no publish when the list is as it was
	Silent          bool          // no publishes at all
	SilentAfter     int           // no publishes after so many (0 = no limit)
	TwoPhase        time.Duration // first an empty list, the full one so much later
	StaleFirst      time.Duration // first the list of the text before, the right one so much later
	StaleOnly       bool          // after a change the old list with the old version, then nothing
	NeverInitialize bool          // initialize gets no answer
	DieOnOpen       bool          // ends at the first didOpen
	HangOnOpen      bool          // answers and publishes nothing after the first didOpen
	Pull            PullMode
	RegisterAfter   time.Duration
	Identifier      string // of the pull provider
	Watch           []string
	// Extra are diagnostics (LSP JSON) that every publish carries besides.
	Extra []json.RawMessage
	// Answers overrides methods: what it returns is the result.
	Answers map[string]func(*Session, json.RawMessage) (any, error)
	Died    string // what Exit says after the end; "" = "exit status 1"
}

// Entry is one message that the server got.
type Entry struct {
	Session int // 1-based
	Method  string
	Params  json.RawMessage
}

// Server makes sessions; each Dial is a new process.
type Server struct {
	opt Options

	mu       sync.Mutex
	sessions []*Session
	log      []Entry
}

// New gives a server that was not started yet.
func New(o Options) *Server { return &Server{opt: o} }

// Dial starts a session. It is a wire.Dialer.
func (s *Server) Dial(context.Context, wire.Command) (wire.Transport, error) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s.mu.Lock()
	ses := newSession(s, len(s.sessions)+1, inR, outW)
	s.sessions = append(s.sessions, ses)
	s.mu.Unlock()
	ses.start()
	return &transport{Reader: outR, Writer: inW, ses: ses, close: func() { _ = inW.Close(); _ = outR.Close() }}, nil
}

// Sessions is how often the server was started.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// Last is the newest session, nil before the first Dial.
func (s *Server) Last() *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) == 0 {
		return nil
	}
	return s.sessions[len(s.sessions)-1]
}

// Log gives what the server got so far; with methods, only those.
func (s *Server) Log(methods ...string) []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Entry
	for _, e := range s.log {
		ok := len(methods) == 0
		for _, m := range methods {
			ok = ok || m == e.Method
		}
		if ok {
			out = append(out, e)
		}
	}
	return out
}

func (s *Server) note(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, e)
}

// transport is the client's end.
type transport struct {
	io.Reader
	io.Writer
	ses   *Session
	close func()
}

func (t *transport) Close() error {
	t.close()
	return nil
}

// Kill ends the session as SIGKILL would.
func (t *transport) Kill() {
	t.close()
	t.ses.end()
	t.ses.wg.Wait()
}

func (t *transport) Exit() string {
	if why := t.ses.srv.opt.Died; why != "" {
		return why
	}
	return "exit status 1"
}
