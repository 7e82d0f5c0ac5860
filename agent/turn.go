package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/panics"

	"companion/agent/guard"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/session"
	"companion/tools"
)

// Turn is what one input sets off. NewTurn reserves its thread, Run does it.
type Turn struct {
	a        *Agent
	thread   *thread
	id       string
	o        TurnOptions
	mode     tools.Mode
	provider model.Provider
	card     Card
	since    time.Time

	ctx    context.Context
	cancel context.CancelCauseFunc
	begun  atomic.Bool
	done   chan struct{} // closed after turn.completed

	// What follows belongs to Run.
	guard  guard.Guard
	usage  session.Usage
	steps  int
	text   string
	rounds int // of what AfterTurn told
}

// afterTurnLimit is how often new errors found at the end of a turn give the
// model one more step.
const afterTurnLimit = 3

// NewTurn reserves the thread for a turn and finds its model. Nothing is told
// or written before Run, which must follow. ErrTurnRunning when the thread has
// a turn, ErrThreadNotFound, ErrThreadBusy, ErrNoModel.
func (a *Agent) NewTurn(o TurnOptions) (*Turn, error) {
	var th *thread
	var err error
	name := o.Model
	if o.Thread != "" {
		if th, err = a.open(o.Thread); err != nil {
			return nil, err
		}
		if name == "" {
			name = th.modelName()
		}
	}
	provider, card, err := a.o.Models.Find(name)
	if err != nil {
		return nil, err
	}
	if th == nil {
		th, err = a.start(ThreadOptions{Roots: o.Roots, Title: o.Title, Mode: o.Mode, Model: name})
		if err != nil {
			return nil, err
		}
	}
	t := &Turn{
		a: a, thread: th, id: newID("u"), o: o, provider: provider, card: card,
		since: time.Now(), done: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	if err := th.reserve(t); err != nil {
		t.cancel(nil)
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		th.release()
		return nil, ErrClosed
	}
	a.turns[t.id] = t
	return t, nil
}

// ThreadID is the thread that the turn belongs to.
func (t *Turn) ThreadID() string { return t.thread.id }

// ID is unique among all turns.
func (t *Turn) ID() string { return t.id }

// Run does the turn and returns after its turn.completed. It ends early when
// ctx ends or the Agent is told to stop it. Call it once.
func (t *Turn) Run(ctx context.Context) Outcome {
	t.begun.Store(true)
	if ctx.Err() != nil {
		t.cancel(context.Cause(ctx))
	}
	unhook := context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	defer unhook()
	defer t.cancel(nil)
	t.start()
	var status string
	var err error
	if p := panics.Try(func() { status, err = t.loop(t.ctx) }); p != nil {
		t.a.o.Log.Error("a turn panicked", "turn", t.id, "panic", p.AsError())
		status, err = Failed, fmt.Errorf("a defect of companion ended the turn: %v", p.Value)
	}
	return t.finish(status, err)
}

func (t *Turn) start() {
	th := t.thread
	last, _ := th.Last()
	roots := th.view().Roots
	if th.State.Mode == "" || th.State.Version != t.a.o.Version || !slices.Equal(th.State.Roots, roots) {
		if th.State.Mode == "" {
			th.State.Mode = string(t.mode)
		}
		th.State.Roots, th.State.Version = roots, t.a.o.Version
		th.WriteState()
	}
	t.emit(session.Event{Type: session.TurnStarted, Input: t.o.Input, Mode: string(t.mode), Model: t.card.ID})
	if last != "" && last != string(t.mode) {
		t.emit(session.Event{Type: session.ModeChanged, Mode: string(t.mode)})
	}
	th.Sync()
}

// finish tells how the turn ended and frees the thread.
func (t *Turn) finish(status string, err error) Outcome {
	o := Outcome{
		Thread: t.thread.id, Turn: t.id, Status: status, Text: t.text, Steps: t.steps, Usage: t.usage,
	}
	if err != nil {
		o.Error = err.Error()
	}
	usage := t.usage
	t.emit(session.Event{Type: session.TurnCompleted, Status: status, Error: o.Error, Usage: &usage})
	t.thread.Settle()
	t.a.mu.Lock()
	delete(t.a.turns, t.id)
	t.a.mu.Unlock()
	t.thread.release()
	close(t.done)
	return o
}

func (t *Turn) emit(e session.Event, recs ...session.Record) {
	e.Turn = t.id
	t.thread.Emit(e, recs...)
}

// loop asks, runs and asks again. The error is the user's text of why the turn
// did not complete.
func (t *Turn) loop(ctx context.Context) (status string, err error) {
	for {
		if ctx.Err() != nil {
			return t.stopped()
		}
		if err := t.thread.Err(); err != nil {
			return Failed, fmt.Errorf("the thread's log cannot be written: %w", err)
		}
		if t.steps >= t.a.o.MaxSteps {
			return Limit, fmt.Errorf("stopped after %d steps (setting companion.maxSteps); the thread can go on with another message", t.steps)
		}
		t.context(ctx)
		if t.steps == 0 {
			t.thread.Write(t.thread.Add(prompt.Message(t.o.Input, t.view().Roots), ""))
		}
		t.steps++
		s := t.step(ctx)
		status, err := t.after(ctx, s)
		if status != "" {
			return status, err
		}
	}
}

func (t *Turn) view() ThreadView { return t.thread.view() }

// context appends the sections whose text changed.
func (t *Turn) context(ctx context.Context) {
	view := t.view()
	view.Mode = t.mode
	for _, p := range t.a.o.Context {
		name := p.Name()
		text, err := p.Section(ctx, view)
		if err != nil {
			if ctx.Err() == nil {
				t.warn("context", fmt.Sprintf("%s: %v", name, err))
			}
			continue
		}
		last := t.thread.Sections[name]
		wrapped := prompt.Section(name, text, last != "")
		if wrapped == last {
			continue
		}
		t.developer(wrapped, name)
	}
}

// developer appends words of ours to the transcript.
func (t *Turn) developer(text, section string) {
	t.thread.Write(t.thread.Add(model.Item{Kind: model.Message, Role: model.Developer, Text: text}, section))
}

func (t *Turn) warn(code, text string) {
	t.emit(session.Event{Type: session.Warned, Code: code, Message: text})
}

// after decides how the turn goes on after a step; "" = with another step.
func (t *Turn) after(ctx context.Context, s *step) (status string, err error) {
	switch {
	case s.fatal != nil && errors.Is(s.fatal, tools.ErrStopped):
		return Stopped, nil
	case ctx.Err() != nil:
		return t.stopped()
	case s.fatal != nil:
		return Failed, fmt.Errorf("a tool call ended the turn: %w", s.fatal)
	case s.err != nil:
		return Failed, modelError(t.card, s.err)
	case s.stop == model.StopRefusal:
		return Failed, refusal(t.card, s.detail)
	case len(s.calls) > 0:
		tell, limit := t.guard.Observe(s.watched())
		if limit != "" {
			return Limit, errors.New(limit)
		}
		if tell != "" {
			t.developer(tell, "")
		}
		return "", nil
	case s.stop == model.StopPause:
		return "", nil
	case s.stop == model.StopLength:
		return Limit, fmt.Errorf("the answer of %s was cut off by its output limit; say \"go on\" to hear the rest", t.card.ID)
	case s.items == 0:
		return Failed, fmt.Errorf("%s answered nothing", t.card.ID)
	}
	return t.end(ctx)
}

// end waits for diagnostics that are still pending; new errors give the model
// one more step, a bounded number of times.
func (t *Turn) end(ctx context.Context) (string, error) {
	if t.a.o.Barrier == nil {
		return Completed, nil
	}
	text := t.a.o.Barrier.AfterTurn(ctx, t.thread.id)
	if ctx.Err() != nil {
		return t.stopped()
	}
	if text == "" {
		return Completed, nil
	}
	if t.rounds >= afterTurnLimit {
		t.warn("newErrors", text)
		return Completed, nil
	}
	t.rounds++
	t.developer(text, "")
	return "", nil
}

func (t *Turn) stopped() (string, error) {
	cause := context.Cause(t.ctx)
	if cause == nil || errors.Is(cause, tools.ErrStopped) || errors.Is(cause, context.Canceled) {
		return Stopped, nil
	}
	return Stopped, cause
}

// modelError words what a provider reported.
func modelError(card Card, err error) error {
	var e *model.Error
	if errors.As(err, &e) && e.Kind == model.ErrContext {
		return fmt.Errorf("the thread is too long for %s (window %d tokens): start a new thread, or choose a model with a larger window (%w)",
			card.ID, card.ContextWindow, err)
	}
	return err
}

func refusal(card Card, detail string) error {
	if detail == "" {
		return fmt.Errorf("%s refused to answer", card.ID)
	}
	return fmt.Errorf("%s refused to answer: %s", card.ID, detail)
}
