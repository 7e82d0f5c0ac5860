package lspbridge

import (
	"context"
	"sync"

	"companion/lspbridge/rpc"
)

// progress shows one turn by work-done progress. Reports that come faster than
// they are sent collapse to the last one; an end always follows a begin.
type progress struct {
	s            *Server
	token, title string

	mu      sync.Mutex
	message string
	last    string // closing words
	fresh   bool   // message was not sent yet
	over    bool
	wake    *sync.Cond
}

func newProgress(s *Server, token, title string) *progress {
	p := &progress{s: s, token: token, title: title}
	p.wake = sync.NewCond(&p.mu)
	return p
}

func (p *progress) report(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.message, p.fresh = message, true
	p.wake.Signal()
}

// end closes the progress; the first words count.
func (p *progress) end(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over, p.last = true, message
	}
	p.wake.Signal()
}

// run creates the progress and sends until end.
func (p *progress) run() {
	ctx, cancel := context.WithTimeout(p.s.ctx, quickDeadline)
	err := p.s.conn.Call(ctx, "window/workDoneProgress/create", struct {
		Token string `json:"token"`
	}{p.token}, nil)
	cancel()
	if err != nil {
		p.s.log.Info("no progress is shown", "err", err)
		return
	}
	p.send(progressValue{Kind: "begin", Title: "Companion: " + p.title, Cancellable: true})
	for {
		p.mu.Lock()
		for !p.fresh && !p.over {
			p.wake.Wait()
		}
		message, over, last := p.message, p.over, p.last
		p.fresh = false
		p.mu.Unlock()
		if over {
			p.send(progressValue{Kind: "end", Message: last})
			return
		}
		p.send(progressValue{Kind: "report", Message: plain(message), Cancellable: true})
	}
}

type progressValue struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Message     string `json:"message,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
}

func (p *progress) send(v progressValue) {
	p.s.editor.notify("$/progress", struct {
		Token string        `json:"token"`
		Value progressValue `json:"value"`
	}{p.token, v})
}

// progressCancel handles window/workDoneProgress/cancel: it stops the turn.
func (s *Server) progressCancel(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Token any `json:"token"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	token, _ := p.Token.(string)
	t := s.turns.byToken(token)
	if t == nil {
		return nil, nil // ended meanwhile, or not ours
	}
	s.spawn(func() {
		if err := s.backend.Agent.Stop(s.ctx, t.thread, t.id); err != nil {
			s.log.Info("stop", "turn", t.id, "err", err)
		}
	})
	return nil, nil
}
