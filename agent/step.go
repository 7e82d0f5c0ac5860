package agent

import (
	"context"

	"companion/agent/answer"
	"companion/agent/calls"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/session"
)

// step sends the transcript, streams the answer, runs the calls and appends
// everything to the transcript. fatal is the error of a call with which the
// turn cannot go on.
func (t *Turn) step(ctx context.Context) (a *answer.Answer, c *calls.Step, fatal error) {
	o, view := &t.a.o, t.view()
	box := t.thread.Box(t.card, view.Mode)
	c = calls.New(calls.Env{
		Turn: t.ctx, Thread: t.thread.id, TurnID: t.id, Number: t.steps, Mode: view.Mode, Roots: view.Roots, Box: box,
		Transcript: t.thread.Transcript, Pipeline: o.Pipeline, Barrier: o.Barrier, Record: t.a.record(), Left: &t.a.calls, Log: o.Log,
	})
	a = answer.New(t.thread.Transcript, t.id, c)
	streamCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, broken := t.thread.Request(t.card, box, model.Options{
		MaxOutput: t.card.MaxOutput, Effort: t.o.Effort, CacheKey: t.thread.id, SerialCalls: !t.card.ParallelCalls,
		OnRetry: func(n model.RetryNotice) { a.Retried(n, cancel) },
	})
	a.Read(streamCtx, t.provider, req)
	if a.Panic != nil {
		o.Log.Error("a provider panicked", "model", t.card.ID, "panic", a.Panic.AsError())
	}
	if cause := context.Cause(streamCtx); cause != nil && a.Err != nil && ctx.Err() == nil {
		a.Err = cause
	}
	a.KeepPartials()
	if a.Text != "" {
		t.text = a.Text
	}
	c.Finish(a.Err, a.Stop == model.StopLength)
	counted := len(t.thread.Items())
	fatal = c.Settle(ctx)
	t.thread.Load(c.Loaded())
	t.report(a, req, broken)
	if a.Err == nil {
		t.thread.Counted(a.Cost().ContextUsed, counted)
	}
	return a, c, fatal
}

// report tells the usage of the step and adds it to the turn's.
func (t *Turn) report(a *answer.Answer, sent model.Request, broken string) {
	if a.Usage == nil && a.Err != nil {
		return
	}
	u := a.Cost()
	u.ContextWindow, u.PrefixBroken = t.card.ContextWindow, broken
	if u.ContextUsed == 0 {
		u.ContextUsed = prompt.Estimate(sent)
	}
	t.usage.Add(u)
	t.emit(session.Event{Type: session.UsageReported, Usage: &u})
}
