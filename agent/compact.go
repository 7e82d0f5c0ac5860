package agent

import (
	"context"
	"errors"

	"companion/agent/answer"
	"companion/agent/compact"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/transcript"
	"companion/session"
)

// Compact shortens what the model is sent of a thread and gives its size before
// and after, in tokens; they are the same when there was nothing to gain. The
// model is asked once; when the thread is too long for it, or there is no
// model, a list of what was done takes the place of its summary. Sections of
// the context are sent anew at the next step. ErrTurnRunning while the thread
// has a turn; a Stop or ctx ends it.
func (a *Agent) Compact(ctx context.Context, thread string) (before, after int, err error) {
	for {
		before, after, err = a.compact(ctx, thread)
		if !errors.Is(err, errGone) {
			return before, after, err
		}
	}
}

func (a *Agent) compact(ctx context.Context, thread string) (before, after int, err error) {
	th, err := a.open(thread)
	if err != nil {
		return 0, 0, err
	}
	provider, card, err := a.o.Models.Find(th.modelName())
	if err != nil {
		return 0, 0, err
	}
	t := &Turn{a: a, thread: th, id: transcript.NewID("k"), provider: provider, card: card, compaction: true}
	t.state.Store(begun)
	t.inbox.Shut()
	if _, err := a.reserve(t); err != nil {
		return 0, 0, err
	}
	unhook := context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	defer unhook()
	defer t.leave()
	defer t.cancel(nil)
	before, after, err = th.compact(t, !card.Offline)
	if t.ctx.Err() != nil && err != nil {
		err = context.Cause(t.ctx)
	}
	th.Settle()
	return before, after, errors.Join(err, th.Err())
}

// shorten compacts the thread after the model said that it is too long, once in
// a turn, and tells whether the step can be tried again.
func (t *Turn) shorten(a *answer.Answer) bool {
	var e *model.Error
	if t.compacted || a.Items > 0 || !errors.As(a.Err, &e) || e.Kind != model.ErrContext {
		return false
	}
	t.compacted = true
	before, after, err := t.thread.compact(t, false)
	return err == nil && after < before
}

// compact replaces the items of the thread, when that makes it shorter.
func (t *thread) compact(turn *Turn, ask bool) (before, after int, err error) {
	req, _ := t.request(turn.card, t.box(t.now()), model.Options{
		CacheKey: t.id, SerialCalls: !turn.card.ParallelCalls, MaxOutput: turn.card.MaxOutput,
	})
	before = prompt.Estimate(req)
	p := turn.provider
	if !ask {
		p = nil
	}
	short, used, err := compact.Shorten(turn.ctx, p, req, t.Items(), compact.How{})
	if err != nil {
		return before, before, err
	}
	if used != nil {
		t.Emit(session.Event{Turn: turn.told(), Type: session.UsageReported, Usage: &session.Usage{
			Input: used.Input, Cached: used.Cached, Output: used.Output, ContextUsed: before, ContextWindow: turn.card.ContextWindow,
		}})
	}
	req.Items = short
	if after = prompt.Estimate(req); after >= before {
		return before, before, nil
	}
	t.Compact(short, t.a.o.Registry, session.Event{Turn: turn.told(), Type: session.ContextCompacted, Before: before, After: after})
	t.compacted = true
	return before, after, nil
}

// told is the id under which others know the turn.
func (t *Turn) told() string {
	if t.compaction {
		return ""
	}
	return t.id
}
