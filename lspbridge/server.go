package lspbridge

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"companion/lspbridge/action"
	"companion/lspbridge/command"
	"companion/lspbridge/companion"
	"companion/lspbridge/document"
	"companion/lspbridge/editor"
	"companion/lspbridge/lens"
	"companion/lspbridge/rpc"
	"companion/lspbridge/serial"
	"companion/lspbridge/wire"
	"companion/tools"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// closeTime is how long everything has to end. With parentEvery and the last
// flush it stays below the 1 s of docs/protocol.md, Lifecycle.
const closeTime = 700 * time.Millisecond

type handlers = document.Handlers

type state int

const (
	created state = iota
	running
	shut
)

// Server serves one editor.
type Server struct {
	opt   Options
	log   *slog.Logger
	table map[string]method

	ctx    context.Context // ends with the server; of everything that runs
	cancel context.CancelFunc
	conn   *rpc.Conn
	editor *editor.Editor
	done   chan struct{} // closed when the process should end
	over   sync.Once
	work   conc.WaitGroup // turns and whatever waits for the editor
	later  *serial.Queue  // slow reactions to notifications
	config *serial.Queue  // changes of settings
	turns  *turns

	// Set by initialize on the read loop, before any other handler runs.
	docs     *handlers
	actions  *action.Handler
	commands *command.Runner
	lenses   *lens.Handler
	outline  *action.Outline
	// companion answers the companion/* methods.
	companion *companion.Handlers
	rejected  []wire.Rejection // tools of initialize
	missing   sync.Once        // tells what the client does not offer
	// distrusted: the editor said trusted:false; folders are read-only.
	distrusted atomic.Bool

	mu      sync.Mutex
	state   state
	closing bool
	backend *Backend // set once; only close needs mu to read it
	unhear  []func()
	folders []string // URIs of the workspace folders
	adopted []string // directories of files, when there is no folder
	asked   []string // roots whose trust was asked for
}

// New gives a server for one Serve.
func New(o Options) *Server {
	s := &Server{opt: o, log: o.Log, table: map[string]method{}, done: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for _, m := range methods() {
		s.table[m.name] = m
	}
	return s
}

// Serve talks to one editor until exit, the end of in, the death of the
// editor's process or the end of ctx. It returns the exit code: 0 after a
// shutdown, else 1. Everything that it started has ended, or had its time to.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) (exitCode int) {
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()
	s.later, s.config = serial.New(s.guard), serial.New(s.guard)
	s.turns = newTurns()
	s.conn = rpc.New(in, out, rpc.Options{Route: s.route, Log: s.log, MaxFrame: s.opt.MaxFrame})
	s.editor = editor.New(s.conn, s.log, s.spawn)
	s.conn.Start(s.ctx)
	if s.opt.ClientPID != 0 {
		s.watchProcess(s.opt.ClientPID)
	}
	select {
	case <-s.conn.Done():
	case <-s.done:
	case <-ctx.Done():
	}
	s.close()
	if s.getState() == shut {
		return 0
	}
	return 1
}

// attach connects what Build made.
func (s *Server) attach(b *Backend, folders []string, owner string) {
	s.docs = &document.Handlers{
		Workspace: b.Workspace, Encoding: s.editor.Encoding, Log: s.log,
		Opened:   func(path string) { s.later.Do(func() { b.Diagnostics.Open(path) }) },
		Folders:  s.foldersChanged,
		Settings: s.settingsChanged,
		Lost: func(uri string, err error) {
			s.editor.Warn(editor.Plain("Companion cannot follow the changes of " + uri + " and leaves it alone until it is saved or opened again: " + err.Error()))
		},
		Disk: func(paths []string) {
			s.later.Do(func() { s.editor.Hush(paths, func() { b.Workspace.DiskChanged(paths...) }) })
		},
	}
	s.offer(b, owner)
	s.lenses = s.newLenses()
	s.outline = &action.Outline{Parse: b.Functions, Later: s.later.Do}
	s.actions = &action.Handler{Literals: s.editor.Client.TextDocument.CodeAction.Literals != nil, State: s.actionState}
	s.commands = &command.Runner{
		Agent: b.Agent, Workspace: b.Workspace, Mode: s.mode, Started: s.started, Adopt: s.adopt,
		Known: s.knownRaw, UTF16: s.docs.ToUTF16, Approve: s.editor.Approve,
		Restart: b.Diagnostics.Restart, Companion: s.companion, Enclosing: b.Enclosing, Encoding: s.editor.Encoding,
		Show: s.showText,
	}
	unhear := func() {}
	if b.Subscribe != nil {
		unhear = b.Subscribe(s.hear)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backend, s.folders, s.unhear = b, folders, append(s.unhear, unhear)
}

// call runs f, the zero value when it is nil.
func call[T any](f func() T) T {
	if f == nil {
		var zero T
		return zero
	}
	return f()
}

func (s *Server) mode() tools.Mode {
	if m := call(s.backend.Mode); m != "" {
		return m
	}
	return tools.ModeAgent
}

// guard runs f; a panic is logged and ends only f.
func (s *Server) guard(f func()) {
	if r := panics.Try(f); r != nil {
		s.log.Error("panic", "err", r.AsError())
	}
}

// documents adapts a handler of package document.
func documents(h func(*handlers, context.Context, *rpc.Request) (any, error)) func(*Server, context.Context, *rpc.Request) (any, error) {
	return func(s *Server, ctx context.Context, r *rpc.Request) (any, error) { return h(s.docs, ctx, r) }
}

func (s *Server) codeAction(ctx context.Context, r *rpc.Request) (any, error) {
	return s.actions.List(ctx, r)
}

func (s *Server) codeActionResolve(ctx context.Context, r *rpc.Request) (any, error) {
	return s.actions.Resolve(ctx, r)
}

func (s *Server) executeCommand(ctx context.Context, r *rpc.Request) (any, error) {
	return s.commands.Execute(ctx, r)
}
