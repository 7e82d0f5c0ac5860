package sent

import (
	"context"
	"errors"
	"fmt"

	"companion/agent/compact"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/session"
	"companion/tools"
)

// ErrNoGain: the thread cannot be made shorter.
var ErrNoGain = errors.New("the thread cannot be made shorter")

// BeginAnew has the thread begin anew before its next request: the model is
// sent text, and of what came before only the person's newest words. It may be
// called from any goroutine.
func (t *Thread) BeginAnew(text string) { t.handover.Store(&text) }

// MakeRoom brings the thread to a size at which its next step can be asked for:
// with a handover, or because the window is nearly full. cost is what a summary
// cost. An error says why the thread is as long as it was; the step can be tried
// all the same.
func (t *Thread) MakeRoom(ctx context.Context, to To) (cost session.Usage, err error) {
	whole := func() model.Request { return t.asking(to.Card, t.Box(to.Card, to.Mode), model.Options{}).Request() }
	if text := t.handover.Swap(nil); text != nil {
		req, short := whole(), compact.Fresh(t.Items(), *text)
		before := prompt.Estimate(req)
		req.Items = short
		t.replace(to, short, before, prompt.Estimate(req))
	}
	size := t.meter.Size(t.Items(), func() int { return prompt.Estimate(whole()) })
	if t.meter.Full(size, to.Card.ContextWindow, t.o.CompactAt) {
		before, after, used, wrong := t.Shorten(ctx, to, compact.How{})
		if wrong != nil && ctx.Err() == nil { // there is no summary: a list takes its place
			to.Provider = nil
			before, after, _, wrong = t.Shorten(ctx, to, compact.How{})
		}
		if cost = used; wrong == nil && after >= before {
			wrong = ErrNoGain
		}
		if wrong == nil {
			size = after
		} else if ctx.Err() == nil {
			t.meter.Shortened(size) // no more tries until it has grown
			err = fmt.Errorf("the thread takes %d of the %d tokens that %s can read: %w", size, to.Card.ContextWindow, to.Card.ID, wrong)
		}
	}
	t.size.Store(int64(size))
	return cost, err
}

// Shorten replaces the items of the thread, when that makes it shorter, and
// gives its size before and after, in tokens. The model is asked for a summary
// once, unless there is none: To.Provider is nil, or its card is offline.
func (t *Thread) Shorten(ctx context.Context, to To, how compact.How) (before, after int, cost session.Usage, err error) {
	req, _ := t.Request(to.Card, t.Box(to.Card, to.Mode), model.Options{
		CacheKey: t.o.ID, SerialCalls: !to.Card.ParallelCalls, MaxOutput: to.Card.MaxOutput,
	})
	before = prompt.Estimate(req)
	if to.Card.Offline {
		to.Provider = nil
	}
	how.Kept = t.kept
	short, used, err := compact.Shorten(ctx, to.Provider, req, t.Items(), how)
	if used != nil {
		cost = session.Usage{
			Input: used.Input, Cached: used.Cached, Written: used.Written, Output: used.Output,
			ContextUsed: before, ContextWindow: to.Card.ContextWindow,
		}
		t.Emit(session.Event{Turn: to.Turn, Type: session.UsageReported, Usage: &cost})
	}
	if err != nil {
		return before, before, cost, err
	}
	req.Items = short
	if after = prompt.Estimate(req); after >= before {
		return before, before, cost, nil
	}
	t.replace(to, short, before, after)
	return before, after, cost, nil
}

// kept tells of a call that what it said is kept elsewhere.
func (t *Thread) kept(it model.Item) bool {
	tool, ok := t.o.Registry.Find(tools.Spec{Name: it.Name, Namespace: it.Namespace}.Full())
	return ok && tool.Spec().Kept
}

// replace puts other items in the place of the thread's.
func (t *Thread) replace(to To, short []model.Item, before, after int) {
	t.Compact(short, t.o.Registry, session.Event{Turn: to.Turn, Type: session.ContextCompacted, Before: before, After: after})
	t.shortened = true
	t.meter.Shortened(after)
}
