package editor

import (
	"context"
	"sync"
)

// Progress shows one turn by work-done progress. Reports that come faster than
// they are sent collapse to the last one; an end always follows a begin.
type Progress struct {
	e            *Editor
	token, title string

	mu      sync.Mutex
	message string
	last    string // closing words
	fresh   bool   // message was not sent yet
	over    bool
	wake    *sync.Cond
}

// NewProgress gives a progress that Run shows; nil when the client shows none,
// and all methods of nil do nothing.
func (e *Editor) NewProgress(token, title string) *Progress {
	if !e.Client.Window.WorkDoneProgress || e.Client.Companion.Progress {
		return nil
	}
	p := &Progress{e: e, token: token, title: title}
	p.wake = sync.NewCond(&p.mu)
	return p
}

// Report replaces the message.
func (p *Progress) Report(message string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.message, p.fresh = message, true
	p.wake.Signal()
}

// End closes the progress; the first words count.
func (p *Progress) End(message string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over, p.last = true, message
	}
	p.wake.Signal()
}

// Run creates the progress and sends until End.
func (p *Progress) Run(ctx context.Context) {
	if p == nil {
		return
	}
	call, cancel := context.WithTimeout(ctx, quickDeadline)
	err := p.e.conn.Call(call, "window/workDoneProgress/create", struct {
		Token string `json:"token"`
	}{p.token}, nil)
	cancel()
	if err != nil {
		p.e.log.Info("no progress is shown", "err", err)
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
		p.send(progressValue{Kind: "report", Message: Plain(message), Cancellable: true})
	}
}

type progressValue struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Message     string `json:"message,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
}

func (p *Progress) send(v progressValue) {
	p.e.Notify("$/progress", struct {
		Token string        `json:"token"`
		Value progressValue `json:"value"`
	}{p.token, v})
}
