package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/panics"

	"companion/agent/answer"
	"companion/agent/calls"
	"companion/agent/consent"
	"companion/agent/guard"
	"companion/agent/line"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/sections"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// Turn is what one input sets off. NewTurn reserves its thread, Run does it.
type Turn struct {
	a        *Agent
	thread   *thread
	id       string
	o        TurnOptions
	provider model.Provider
	card     Card
	since    time.Time
	joined   bool // the turn of the ids runs elsewhere; there is nothing to do
	// compaction: the turn only holds the thread, and is told to nobody.
	compaction bool

	ctx    context.Context
	cancel context.CancelCauseFunc
	state  atomic.Int32
	ready  chan struct{} // closed when the thread is the turn's
	done   chan struct{} // closed after turn.completed
	inbox  line.Inbox[[]session.Input]
	over   atomic.Bool // turn.completed is told; done follows at once

	// What follows belongs to Run, and to Stop while state is ended.
	guard   guard.Guard
	usage   session.Usage
	steps   int
	text    string
	said    string                      // the newest text that steered the turn
	rounds  int                         // of what AfterTurn told
	shrinks int                         // because the model said that the thread is too long
	squeeze line.Inbox[chan compaction] // who waits for the thread to be shortened
	outcome Outcome
}

// States of a turn.
const (
	reserved int32 = iota
	begun          // Run was called
	ended          // stopped before that
)

// afterTurnLimit is how often new errors found at the end of a turn give the
// model one more step.
const afterTurnLimit = 3

// NewTurn reserves the thread for a turn and finds its model. Nothing is told
// or written before Run, which must follow, or Stop. What it does in a thread
// that has a turn is TurnOptions.IfBusy. ErrTurnRunning, ErrThreadNotFound,
// ErrThreadBusy, ErrNoModel, ErrInput.
func (a *Agent) NewTurn(o TurnOptions) (*Turn, error) {
	for {
		t, err := a.newTurn(o)
		if !errors.Is(err, errGone) {
			return t, err
		}
	}
}

// settled waits for a turn of the thread whose end is told and that still holds
// it: who heard of turn.completed finds the thread free.
func (a *Agent) settled(thread string) {
	if th, ok := a.threads.Get(thread); ok {
		if first, busy := th.line.First(); busy && first.over.Load() {
			<-first.done
		}
	}
}

func (a *Agent) newTurn(o TurnOptions) (*Turn, error) {
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
	if err := prompt.Check(o.Input, card.Images, card.ID); err != nil {
		return nil, err
	}
	if _, known := consent.Rights(o.Mode); !known && o.Mode != "" {
		return nil, fmt.Errorf("%w: unknown mode %q", ErrInput, o.Mode)
	}
	if th == nil {
		th, err = a.start(ThreadOptions{Roots: o.Roots, Title: o.Title, Mode: o.Mode, Model: name})
		if err != nil {
			return nil, err
		}
	}
	return a.reserve(&Turn{a: a, thread: th, id: transcript.NewID("u"), o: o, provider: provider, card: card})
}

// reserve gives a turn its thread, or its place in the queue.
func (a *Agent) reserve(t *Turn) (*Turn, error) {
	t.since, t.ready, t.done = time.Now(), make(chan struct{}), make(chan struct{})
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	joined, err := t.thread.reserve(t)
	if err != nil {
		t.cancel(nil)
		return nil, err
	}
	if joined != nil {
		t.cancel(nil)
		t.id, t.joined = joined.id, true
		return t, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		t.thread.release(t)
		return nil, ErrClosed
	}
	a.turns[t.id] = t
	return t, nil
}

// ThreadID is the thread that the turn belongs to.
func (t *Turn) ThreadID() string { return t.thread.id }

// ID is unique among all turns.
func (t *Turn) ID() string { return t.id }

// Joined tells that the input went to the running turn whose ids these are.
func (t *Turn) Joined() bool { return t.joined }

// Run does the turn and returns after its turn.completed. It ends early when
// ctx ends or the Agent is told to stop it; a turn that is stopped before it
// began is told all the same. Call it once.
func (t *Turn) Run(ctx context.Context) Outcome {
	if t.joined {
		return Outcome{Thread: t.thread.id, Turn: t.id}
	}
	if !t.state.CompareAndSwap(reserved, begun) {
		<-t.done
		return t.outcome
	}
	if ctx.Err() != nil {
		t.cancel(context.Cause(ctx))
	}
	unhook := context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	defer unhook()
	defer t.cancel(nil)
	select {
	case <-t.ready:
	case <-t.ctx.Done():
	}
	if t.ctx.Err() != nil {
		return t.never()
	}
	var status string
	var err error
	if p := panics.Try(func() {
		if status, err = t.start(t.ctx); status == "" {
			status, err = t.loop(t.ctx)
		}
	}); p != nil {
		t.a.o.Log.Error("a turn panicked", "turn", t.id, "panic", p.AsError())
		status, err = Failed, fmt.Errorf("a defect of companion ended the turn: %v", p.Value)
	}
	return t.finish(status, err)
}

// start tells that the turn begins and brings the thread to its options. A
// status ends the turn.
func (t *Turn) start(ctx context.Context) (status string, err error) {
	th := t.thread
	th.adopt(t)
	from := th.now()
	to := cmp.Or(t.o.Mode, from)
	asks := t.a.mustAsk(from, to) && (!t.o.ByUser || to == tools.ModeFull)
	if !asks {
		th.setMode(to)
	}
	last, _ := th.Last()
	view := th.view()
	if th.State.Mode == "" || th.State.Version != t.a.o.Version || !slices.Equal(th.State.Roots, view.Roots) {
		if th.State.Mode == "" {
			th.State.Mode = string(to)
		}
		th.State.Roots, th.State.Version = view.Roots, t.a.o.Version
		th.WriteState()
	}
	t.emit(session.Event{Type: session.TurnStarted, Input: t.o.Input, Mode: string(view.Mode), Model: t.card.ID})
	th.Sync()
	switch {
	case asks:
		r, err := th.allow(ctx, t.id, from, to)
		switch {
		case err != nil:
			return t.stopped()
		case !r.Yes:
			t.warn("mode", fmt.Sprintf("the mode %q was not allowed; the turn goes on in %q", to, from))
			return "", nil
		}
		th.setMode(to)
		t.emit(session.Event{Type: session.ModeChanged, Mode: string(to)})
	case last != "" && last != string(to):
		t.emit(session.Event{Type: session.ModeChanged, Mode: string(to)})
	}
	return "", nil
}

// never ends a turn that has not begun: both of its events, and nothing
// between them.
func (t *Turn) never() Outcome {
	t.inbox.Shut()
	status, err := t.stopped()
	t.outcome = t.ending(status, err)
	t.thread.EmitAll(
		session.Event{Turn: t.id, Type: session.TurnStarted, Input: t.o.Input, Mode: string(t.thread.now()), Model: t.card.ID},
		session.Event{Turn: t.id, Type: session.TurnCompleted, Status: status, Error: t.outcome.Error, Usage: &session.Usage{}},
	)
	if first, _ := t.thread.line.First(); first == t {
		t.thread.Settle()
	}
	t.cancel(nil)
	t.leave()
	return t.outcome
}

func (t *Turn) ending(status string, err error) Outcome {
	t.over.Store(true)
	o := Outcome{
		Thread: t.thread.id, Turn: t.id, Status: status, Text: t.text, Steps: t.steps, Usage: t.usage,
	}
	if err != nil {
		o.Error = err.Error()
	}
	return o
}

// finish tells how the turn ended and frees the thread. Input that came too
// late for this turn is there for the next.
func (t *Turn) finish(status string, err error) Outcome {
	t.inbox.Shut()
	t.read()
	t.outcome = t.ending(status, err)
	t.squeeze.Shut()
	for _, ch := range t.squeeze.Take() {
		ch <- compaction{err: errGone} // it is tried again between turns
	}
	usage := t.usage
	t.emit(session.Event{Type: session.TurnCompleted, Status: status, Error: t.outcome.Error, Usage: &usage})
	t.thread.Settle()
	t.leave()
	return t.outcome
}

// leave gives the thread to the next turn.
func (t *Turn) leave() {
	t.a.mu.Lock()
	delete(t.a.turns, t.id)
	t.a.mu.Unlock()
	t.thread.release(t)
	close(t.done)
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
		if n := t.usage.Input - t.usage.Cached + t.usage.Output; t.a.o.MaxTokens > 0 && n >= t.a.o.MaxTokens {
			return Limit, fmt.Errorf("stopped after %d tokens (setting companion.maxTokens); the thread can go on with another message", n)
		}
		if t.makeRoom(); ctx.Err() != nil {
			return t.stopped()
		}
		t.context(ctx)
		if t.steps == 0 {
			t.thread.Write(t.thread.Add(prompt.Message(t.o.Input, t.view().Roots), ""))
		}
		t.read()
		t.steps++
		status, err := t.after(t.step(ctx))
		if status != "" {
			return status, err
		}
	}
}

func (t *Turn) view() ThreadView { return t.thread.view() }

// context appends the sections whose text changed.
func (t *Turn) context(ctx context.Context) {
	view := t.view()
	view.Message, view.Box = cmp.Or(t.said, prompt.Said(t.o.Input)), t.thread.Box(t.card, view.Mode)
	sections.Changed(ctx, t.a.o.Context, view, t.thread.Sections,
		func(err error) { t.warn("context", err.Error()) },
		func(name, text string) { t.developer(text, name) })
}

// developer appends words of ours to the transcript.
func (t *Turn) developer(text, section string) {
	t.thread.Write(t.thread.Add(model.Item{Kind: model.Message, Role: model.Developer, Text: text}, section))
}

func (t *Turn) warn(code, text string) {
	t.emit(session.Event{Type: session.Warned, Code: code, Message: text})
}

// after decides how the turn goes on after a step; "" = with another step.
func (t *Turn) after(a *answer.Answer, calls *calls.Step, fatal error) (status string, err error) {
	ctx := t.ctx
	switch {
	case fatal != nil && errors.Is(fatal, tools.ErrStopped):
		return Stopped, nil
	case ctx.Err() != nil:
		return t.stopped()
	case fatal != nil:
		return Failed, fmt.Errorf("a tool call ended the turn: %w", fatal)
	case a.Err != nil && t.shorten(a):
		return "", nil
	case a.Err != nil:
		return Failed, prompt.ModelError(t.card.ID, t.card.ContextWindow, a.Err)
	case a.Stop == model.StopRefusal:
		return Failed, prompt.Refusal(t.card.ID, a.Detail)
	case calls.Len() > 0:
		return t.circle(ctx, t.guard.Observe(calls.Watched()))
	case a.Stop == model.StopPause:
		return "", nil
	case a.Stop == model.StopLength:
		return Limit, fmt.Errorf("the answer of %s was cut off by its output limit; say \"go on\" to hear the rest", t.card.ID)
	case a.Items == 0:
		return Failed, fmt.Errorf("%s answered nothing", t.card.ID)
	}
	return t.end(ctx)
}

// circle asks a person whether a model that goes round in circles may go on.
// Where nobody can be asked, or nothing good can come of it, the model is told
// once; then the turn ends.
func (t *Turn) circle(ctx context.Context, c guard.Circle) (string, error) {
	if c.Kind == "" {
		return "", nil
	}
	if c.Kind != guard.Bad {
		r, err := t.thread.ask(ctx, t.id, "", consent.Loop(c.What))
		switch {
		case errors.Is(err, consent.ErrNobody):
		case err != nil:
			return t.stopped()
		default:
			t.guard.Reset()
			if !r.Yes {
				t.developer(consent.Told(c.Tell, r.Feedback), "")
			}
			return "", nil
		}
	}
	if !t.guard.Told(c.Kind) {
		return Limit, fmt.Errorf("%s; the turn was ended, and the thread can go on with another message", c.What)
	}
	t.developer(c.Tell, "")
	return "", nil
}

// end waits for diagnostics that are still pending; new errors give the model
// one more step, a bounded number of times, and so does input that came
// meanwhile.
func (t *Turn) end(ctx context.Context) (string, error) {
	if t.a.o.Barrier != nil {
		text := t.a.o.Barrier.AfterTurn(ctx, t.thread.id)
		switch {
		case ctx.Err() != nil:
			return t.stopped()
		case text != "" && t.rounds < afterTurnLimit:
			t.rounds++
			t.developer(text, "")
			return "", nil
		case text != "":
			t.warn("newErrors", text)
		}
	}
	if !t.inbox.Close() {
		return "", nil
	}
	return Completed, nil
}

func (t *Turn) stopped() (string, error) {
	cause := context.Cause(t.ctx)
	if cause == nil || errors.Is(cause, tools.ErrStopped) || errors.Is(cause, context.Canceled) {
		return Stopped, nil
	}
	return Stopped, cause
}
