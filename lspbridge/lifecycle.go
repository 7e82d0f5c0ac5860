package lspbridge

import (
	"context"

	"companion/lspbridge/parent"
	"companion/lspbridge/rpc"

	"github.com/sourcegraph/conc"
)

func (s *Server) getState() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *Server) setState(st state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = st
}

// route judges each message by the state of the session, in the order of the
// wire.
func (s *Server) route(name string, isCall bool) (rpc.Route, error) {
	st := s.getState()
	m, known := s.table[name]
	if !isCall {
		if known && m.notification && (st == running || name == "exit") {
			return s.bind(m), nil
		}
		return rpc.Route{}, nil
	}
	switch {
	case st == created && name != "initialize":
		return rpc.Route{}, rpc.Errorf(rpc.NotInitialized, "%s came before initialize", name)
	case st == shut:
		return rpc.Route{}, rpc.Errorf(rpc.InvalidRequest, "%s came after shutdown", name)
	case st == running && name == "initialize":
		return rpc.Route{}, rpc.Errorf(rpc.InvalidRequest, "initialize came a second time")
	case !known || m.notification:
		return rpc.Route{}, rpc.Errorf(rpc.MethodNotFound, "no request %q", name)
	}
	if name == "shutdown" {
		s.setState(shut)
	}
	return s.bind(m), nil
}

func (s *Server) bind(m method) rpc.Route {
	return rpc.Route{Ordered: m.ordered, Loose: m.loose, Bulk: m.bulk, Now: m.now, Handle: func(ctx context.Context, r *rpc.Request) (any, error) {
		return m.handle(s, ctx, r)
	}}
}

// initialized handles initialized: from here on the editor may be asked.
func (s *Server) initialized(context.Context, *rpc.Request) (any, error) {
	for _, p := range s.backend.Problems {
		s.editor.Warn("Companion settings: " + p)
	}
	for _, n := range s.backend.Notices {
		s.editor.Warn("Companion: " + n)
	}
	s.tellRejected()
	s.spawn(func() { s.editor.Register(s.ctx) })
	s.settingsChanged(nil)
	s.askTrust()
	return nil, nil
}

// shutdown handles shutdown: turns end before it is answered.
func (s *Server) shutdown(ctx context.Context, _ *rpc.Request) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	s.backend.Agent.StopAll(ctx)
	return nil, nil
}

// exit handles exit.
func (s *Server) exit(context.Context, *rpc.Request) (any, error) {
	s.conn.Stop()
	s.end()
	return nil, nil
}

// watchProcess ends the server when the process dies. One that is already dead
// is not the editor's (a container gives other numbers): it is ignored.
func (s *Server) watchProcess(pid int) {
	if !parent.Alive(pid) {
		s.log.Info("the editor's process is not seen from here and not watched", "pid", pid)
		return
	}
	s.spawn(func() {
		if parent.Wait(s.ctx, pid) {
			s.log.Info("the editor's process ended", "pid", pid)
			s.end()
		}
	})
}

// end makes Serve return.
func (s *Server) end() { s.over.Do(func() { close(s.done) }) }

// close ends everything within closeTime: turns first, then what they use.
func (s *Server) close() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), closeTime)
	defer cancel()
	s.conn.Stop()
	b, unhear := s.startClosing()
	s.cancel()
	turns, stop := context.WithTimeout(ctx, closeTime/2)
	s.within(turns, "turns", func() { s.work.Wait() })
	stop()
	if b != nil {
		for _, end := range unhear {
			end()
		}
		if b.Close != nil {
			s.within(ctx, "backend", func() {
				if err := b.Close(ctx); err != nil {
					s.log.Warn("close", "err", err)
				}
			})
		}
	}
	s.within(ctx, "queues", func() {
		s.later.Close()
		s.config.Close()
	})
	flush, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTime/8)
	defer stop()
	if err := s.conn.Flush(flush); err != nil {
		s.log.Warn("the editor did not read the last messages")
	}
}

// within waits for f until ctx ends; f goes on after that.
func (s *Server) within(ctx context.Context, what string, f func()) {
	done := make(chan struct{})
	var g conc.WaitGroup
	g.Go(func() {
		defer close(done)
		s.guard(f)
	})
	select {
	case <-done:
	case <-ctx.Done():
		// Nothing is lost: what still runs ends with the process.
		s.log.Info("did not end in time", "what", what)
	}
}

// startClosing keeps new work from starting and gives the backend, if there is
// one.
func (s *Server) startClosing() (b *Backend, unhear []func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	return s.backend, s.unhear
}

// spawn runs f on a goroutine that close waits for; nothing when closing.
func (s *Server) spawn(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.work.Go(func() { s.guard(f) })
	}
}
