package agent

import (
	"context"
	"errors"

	"companion/agent/answer"
	"companion/agent/compact"
	"companion/agent/model"
	"companion/agent/transcript"
)

// Compact shortens what the model is sent of a thread and gives its size before
// and after, in tokens; they are the same when there was nothing to gain. The
// model is asked once; when the thread is too long for it, or there is no
// model, a list of what was done takes the place of its summary. Sections of
// the context are sent anew at the next step. A thread that has a turn is
// shortened before the turn's next step, or after its end; ErrTurnRunning while
// one is about to begin. A Stop or ctx ends it.
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
	if first, busy := th.line.First(); busy && first.state.Load() == begun && !first.compaction {
		ch := make(chan compaction, 1)
		if first.squeeze.Put(ch) {
			select {
			case c := <-ch:
				return c.before, c.after, c.err
			case <-ctx.Done():
				return 0, 0, ctx.Err()
			}
		}
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
	before, after, _, err = th.Shorten(t.ctx, t.to(), compact.How{})
	if t.ctx.Err() != nil && err != nil {
		err = context.Cause(t.ctx)
	}
	th.Settle()
	return before, after, errors.Join(err, th.Err())
}

// compaction is what came of one.
type compaction struct {
	before, after int
	err           error
}

// shrinkLimit is how often in a turn a thread is shortened because the model
// said that it is too long; the second time little is left of it.
const shrinkLimit = 2

// shorten compacts the thread after the model said that it is too long, and
// tells whether the step can be tried again.
func (t *Turn) shorten(a *answer.Answer) bool {
	var e *model.Error
	if a.Items > 0 || !errors.As(a.Err, &e) || e.Kind != model.ErrContext {
		return false
	}
	for t.shrinks < shrinkLimit {
		t.shrinks++
		to := t.to()
		to.Provider = nil
		before, after, _, err := t.thread.Shorten(t.ctx, to, compact.How{Hard: t.shrinks > 1})
		if err == nil && after < before {
			return true
		}
	}
	return false
}

// makeRoom brings the thread to a size at which its next step can be asked for.
// What goes wrong is told; the step is tried all the same.
func (t *Turn) makeRoom() {
	for _, ch := range t.squeeze.Take() {
		before, after, cost, err := t.thread.Shorten(t.ctx, t.to(), compact.How{})
		t.usage.Add(cost)
		ch <- compaction{before, after, err}
	}
	cost, err := t.thread.MakeRoom(t.ctx, t.to())
	t.usage.Add(cost)
	if err != nil {
		t.warn("context", err.Error())
	}
}
