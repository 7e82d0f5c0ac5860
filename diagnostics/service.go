package diagnostics

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"

	"companion/diagnostics/batch"
	"companion/diagnostics/lent"
	"companion/diagnostics/lookup"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
	"companion/diagnostics/supervise"
	"companion/diagnostics/wire"
	"companion/tools"
	"companion/workspace"
)

// Named here for whoever makes Options.
type (
	Override = preset.Override
	Bounds   = preset.Bounds
)

// Options of a Service.
type Options struct {
	Workspace *workspace.Workspace
	Servers   map[string]Override // by preset name; other names add servers
	// TrustedCommand says that a program inside the workspace may be started.
	TrustedCommand func(path string) bool
	Dial           lspclient.Dialer // nil = real processes
	Env            []string         // of servers; nil = this process's
	Log            *slog.Logger     // nil = discard
	Editor         lent.Ask         // asks the editor's own servers; nil = it lends none
	Policy         Policy
	Bounds         Bounds
}

// Service is what language servers say of the workspace.
type Service struct {
	*lookup.Lookup

	opt     Options
	lent    *lent.Source
	stamps  *batch.Stamps
	ws      *workspace.Workspace
	presets atomic.Pointer[[]preset.Preset]
	policy  atomic.Pointer[Policy]
	wg      conc.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
	cancel  func() // the workspace's observer

	mu        sync.Mutex
	closed    bool
	instances map[key]*supervise.Server
	editor    map[string]bool // open in the editor
	held      map[string]bool // read or edited by companion
	threads   map[string]*thread
	listeners map[int]func(path string)
	nextID    int
}

type key struct{ preset, root string }

// New watches the workspace and starts a server when a file of its language is
// opened.
func New(o Options) *Service {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Service{
		opt: o, ws: o.Workspace, ctx: ctx, stop: stop,
		instances: map[key]*supervise.Server{}, editor: map[string]bool{}, held: map[string]bool{},
		threads: map[string]*thread{}, listeners: map[int]func(string){},
	}
	s.stamps = batch.NewStamps()
	s.lent = lent.New(o.Workspace, o.Editor)
	s.Lookup = lookup.New(lookup.Options{Workspace: o.Workspace, Each: s.each, Running: s.allClients, Rel: s.rel})
	s.Prefer(o.Policy)
	presets := preset.Table(o.Servers)
	s.presets.Store(&presets)
	s.cancel = o.Workspace.Observe(s.observe)
	for _, d := range o.Workspace.Documents() {
		s.observe(workspace.Event{Kind: workspace.Opened, Snapshot: d})
	}
	return s
}

func (s *Service) dial(ctx context.Context, cmd lspclient.Command) (lspclient.Transport, error) {
	if s.opt.Dial != nil {
		return s.opt.Dial(ctx, cmd)
	}
	return wire.Spawn(ctx, cmd)
}

// where is where a server at root is looked for.
func (s *Service) where(root string) preset.Where {
	return preset.Where{
		Root: root, Roots: s.ws.Roots(), Env: s.opt.Env, Fake: s.opt.Dial != nil, Trusted: s.opt.TrustedCommand,
	}
}

// servers gives the instances for a file, starting what is not there. It does
// not wait.
func (s *Service) servers(path string) []*supervise.Server {
	var out []*supervise.Server
	for _, p := range s.table() {
		if p.Language(path) == "" {
			continue
		}
		root := preset.RootOf(path, s.ws.Roots(), p.RootMarkers)
		if root == "" {
			continue
		}
		if in := s.instance(p, root); in != nil {
			out = append(out, in)
		}
	}
	return out
}

func (s *Service) instance(p preset.Preset, root string) *supervise.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{p.Name, root}
	if in := s.instances[k]; in != nil || s.closed {
		return in
	}
	in := supervise.New(s.ctx, supervise.Config{
		Preset: p, Where: s.where(root), Dial: s.dial, Patience: s.fixed(p).Initialize, Changed: s.changed, Log: s.opt.Log,
		Ready: func(c *lspclient.Client) { s.reopen(p, root, c) },
	})
	s.instances[k] = in
	s.wg.Go(in.Run)
	return in
}

// running gives the instances that serve a file already.
func (s *Service) running(path string) []*supervise.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*supervise.Server
	for _, p := range s.table() {
		if p.Language(path) == "" {
			continue
		}
		for k, in := range s.instances {
			if k.preset == p.Name && preset.Within(path, k.root) {
				out = append(out, in)
			}
		}
	}
	return out
}

// HasServer says whether a language server is meant for files like path, be it
// installed or not.
func (s *Service) HasServer(path string) bool {
	for _, p := range s.table() {
		if p.Language(path) != "" {
			return true
		}
	}
	return false
}

// Open starts the file's servers and has them read it, without waiting: done
// when companion reads a file, so that an edit finds them warm.
func (s *Service) Open(path string) {
	s.editorBaseline(path)
	if !s.HasServer(path) || !s.usesOwn() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[path] = true
	if s.closed {
		return
	}
	s.wg.Go(func() {
		for _, in := range s.servers(path) {
			if c := in.Now(); c != nil {
				s.prefetch(in.Preset(), c, path)
			}
		}
	})
}

// prefetch gives the server a file that is likely to be edited. Of a server
// that tells nothing of unopened files by itself, the importers are asked about
// too, so that what they had before an edit is known.
func (s *Service) prefetch(p preset.Preset, c *lspclient.Client, path string) {
	if !s.present(c, path) || !p.Profile.Tsserver {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.fixed(p).Query)
	defer cancel()
	if c.Await(ctx, path).Status == tools.Complete {
		c.Spread(ctx, []string{path})
	}
}

// present sends the client the file's text as the workspace has it now. It
// looks again after sending, since the observer may have sent a newer text
// between the reading and the sending.
func (s *Service) present(c *lspclient.Client, path string) bool {
	for range 10 {
		snap, err := s.ws.Read(s.ctx, path)
		if err != nil || !snap.Exists {
			return false
		}
		c.Sync(path, snap.Text)
		if again, err := s.ws.Read(s.ctx, path); err != nil || again.Exists && again.Text == snap.Text {
			return err == nil
		}
	}
	return true
}

// reopen gives a fresh client every file that is held or open and that it
// serves.
func (s *Service) reopen(p preset.Preset, root string, c *lspclient.Client) {
	s.mu.Lock()
	var paths []string
	for _, set := range []map[string]bool{s.editor, s.held} {
		for path := range set {
			if p.Language(path) != "" {
				paths = append(paths, path)
			}
		}
	}
	s.mu.Unlock()
	for _, path := range paths {
		if preset.RootOf(path, s.ws.Roots(), p.RootMarkers) == root {
			s.wg.Go(func() { s.prefetch(p, c, path) })
		}
	}
}

// Known gives what is known of a file right now, for its present text only;
// fresh says that the servers have answered for that text.
func (s *Service) Known(path string) (items []tools.Diagnostic, fresh bool) {
	for _, in := range s.running(path) {
		c := in.Now()
		if c == nil {
			continue
		}
		got, ok := c.Present(path)
		items, fresh = append(items, got...), fresh || ok
	}
	return items, fresh
}

// OnChange calls f when the diagnostics of a file changed, on a goroutine that
// must not be blocked.
func (s *Service) OnChange(f func(path string)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextID
	s.nextID++
	s.listeners[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, id)
	}
}

func (s *Service) changed(path string) {
	s.mu.Lock()
	var fs []func(string)
	for _, f := range s.listeners {
		fs = append(fs, f)
	}
	s.mu.Unlock()
	for _, f := range fs {
		f(path)
	}
}

// errClosed is why servers are not there after Close.
var errClosed = errors.New("companion is closing")

// Close shuts every server down, within ctx, and kills what is left of their
// process groups.
func (s *Service) Close(ctx context.Context) error {
	s.cancel()
	s.mu.Lock()
	s.closed = true
	var all []*supervise.Server
	for _, in := range s.instances {
		all = append(all, in)
	}
	s.mu.Unlock()
	var wg conc.WaitGroup
	for _, in := range all {
		wg.Go(func() {
			if c := in.Now(); c != nil {
				c.Close(ctx)
			}
			in.Stop(errClosed)
		})
	}
	wg.Wait()
	s.stop()
	s.wg.Wait()
	return nil
}
