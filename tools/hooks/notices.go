package hooks

import (
	"context"

	"companion/tools"
)

// Notices is the outermost stage: it tells the Lifecycle hooks of each call,
// twice and no more, whatever becomes of it.
func (s *Set) Notices() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			n := &notices{s: s, ctx: ctx, to: inv.Notices}
			inv.Notices = n
			res, err := next(ctx, inv)
			n.Started(inv)
			end := End{Outcome: res.Outcome, Text: res.Text, Queued: inv.Queued, Ran: inv.Ran}
			if err != nil && end.Outcome == "" {
				end.Outcome, end.Text = tools.Failed, err.Error()
			}
			for _, c := range res.Changed {
				end.Changed = append(end.Changed, c.Path)
			}
			s.tell(ctx, inv, func(ctx context.Context, h Hook, c Call) { h.Notices.Finished(ctx, c, end) })
			return res, err
		}
	}
}

// tell reaches the hooks also after a stop.
func (s *Set) tell(ctx context.Context, inv *tools.Invocation, do func(ctx context.Context, h Hook, c Call)) {
	ctx = context.WithoutCancel(ctx)
	_ = s.each(inv, func(h Hook) bool { return h.Notices != nil }, func(h Hook, c Call) error {
		_, _ = answer(ctx, s, h, NoticeDeadline, func(ctx context.Context) (struct{}, error) {
			do(ctx, h, c)
			return struct{}{}, nil
		})
		return nil // what only hears stops nothing
	})
}

// notices stands between a call and who listens to it.
type notices struct {
	s    *Set
	ctx  context.Context
	to   tools.Notices // may be nil
	told bool
}

// Started implements tools.Notices.
func (n *notices) Started(inv *tools.Invocation) {
	if n.told {
		return
	}
	n.told = true
	if n.to != nil {
		n.to.Started(inv)
	}
	n.s.tell(n.ctx, inv, func(ctx context.Context, h Hook, c Call) { h.Notices.Started(ctx, c) })
}

// Approval implements tools.Notices.
func (n *notices) Approval(inv *tools.Invocation, decision, by string) {
	if n.to != nil {
		n.to.Approval(inv, decision, by)
	}
}

// Asked implements tools.Asked.
func (n *notices) Asked(inv *tools.Invocation) {
	if a, ok := n.to.(tools.Asked); ok {
		a.Asked(inv)
	}
}
