package agent

import (
	"context"
	"fmt"

	"companion/agent/consent"
	"companion/session"
	"companion/tools"
)

// What follows is for tools: threads are those that calls run in.

// Plan is the thread's plan, nil = there is none.
func (a *Agent) Plan(thread string) []session.PlanStep {
	t, ok := a.threads.Get(thread)
	if !ok {
		return nil
	}
	return t.Plan()
}

// SetPlan puts another plan in the thread's and tells it.
func (a *Agent) SetPlan(id, turn string, steps []session.PlanStep) error {
	return a.inOpen(id, func(th *thread) {
		th.Emit(session.Event{Turn: turn, Type: session.PlanUpdated, Steps: steps})
	})
}

// Mode is the mode that an open thread is in, "" for any other.
func (a *Agent) Mode(thread string) tools.Mode {
	t, ok := a.threads.Get(thread)
	if !ok {
		return ""
	}
	return t.now()
}

// Move moves a thread to a mode because its model wants it, from the next step
// on. A person is asked before it gets more rights, whoever started the thread.
// The error is consent.ErrNobody, ctx's, or tools.ErrStopped.
func (a *Agent) Move(ctx context.Context, call tools.Call, to tools.Mode) (r consent.Reply, err error) {
	t, ok := a.threads.Get(call.Thread)
	if !ok {
		return r, fmt.Errorf("thread %s: %w", call.Thread, ErrThreadNotFound)
	}
	r.Yes = true
	if from := t.now(); consent.More(from, to) {
		r, err = t.ask(ctx, call.Turn, call.ID, t.modeQuestion(from, to))
	}
	if err == nil && r.Yes {
		t.move(to)
	}
	return r, err
}

// Ask puts a question of a call about its thread to a person. The error is
// consent.ErrNobody, ctx's, or tools.ErrStopped.
func (a *Agent) Ask(ctx context.Context, call tools.Call, q consent.Question) (consent.Reply, error) {
	t, ok := a.threads.Get(call.Thread)
	if !ok {
		return consent.Reply{}, fmt.Errorf("thread %s: %w", call.Thread, ErrThreadNotFound)
	}
	return t.ask(ctx, call.Turn, call.ID, q)
}

// Window gives what the last request of a thread took of its model's window,
// what the window holds, and where the thread is shortened by itself, in tokens.
// 0 = not known.
func (a *Agent) Window(thread string) (used, window, shortened int) {
	t, ok := a.threads.Get(thread)
	if !ok {
		return 0, 0, 0
	}
	if first, ok := t.line.First(); ok {
		window = first.card.ContextWindow
	}
	used, shortened = t.Size(window)
	return used, window, shortened
}

// Handover begins a thread anew before its next step: the model is sent text,
// and nothing else of what came before but the person's newest words.
func (a *Agent) Handover(id, text string) error {
	return a.inOpen(id, func(th *thread) { th.BeginAnew(text) })
}

func (a *Agent) inOpen(id string, f func(t *thread)) error {
	t, ok := a.threads.Get(id)
	if !ok {
		return fmt.Errorf("thread %s: %w", id, ErrThreadNotFound)
	}
	f(t)
	return t.Err()
}
