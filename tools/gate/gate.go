package gate

import (
	"context"
	"slices"
	"strings"

	"companion/tools"
)

// rounds bounds how often a call is prepared anew because what it works on
// changed while it waited.
const rounds = 8

// Declare is the stage behind the policy. It tells the calls of the same step
// that come later what this one touches, so that those which touch other things
// need not wait for it, and whether a person is asked first.
func Declare() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			declare(inv, !inv.Verdict.Allow)
			return next(ctx, inv)
		}
	}
}

func declare(inv *tools.Invocation, asks bool) {
	if p, ok := inv.Order.(*Place); ok {
		p.declare(needs(inv), asks)
	}
}

// Stage lets a call run while no conflicting one does, of its own step in call
// order. Where a call of ours changed what this one works on after it was
// prepared, it is prepared again; where that gives something else than line
// numbers, the checks that were registered by OnReprepare run again too, and
// the locks are not held meanwhile.
func Stage(locks *Locks) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			t, err := locks.enter(ctx, inv)
			if err != nil {
				return tools.Result{}, err
			}
			var res tools.Result
			defer func() { locks.leave(t, res.Changed, inv) }()
			res, err = next(ctx, inv)
			return res, err
		}
	}
}

// enter takes the locks of inv's Action on its final preparation.
func (l *Locks) enter(ctx context.Context, inv *tools.Invocation) (*ticket, error) {
	seen := 0 // of changes, before Action was prepared again
	for range rounds {
		t, err := l.admit(ctx, inv)
		if err != nil {
			return nil, err
		}
		moved, now := l.moved(inv, seen)
		if !moved {
			return t, nil
		}
		seen = now
		before := inv.Action
		if err := l.again(ctx, inv, t); err != nil {
			return nil, err
		}
		if same(before, inv.Action) {
			return t, nil
		}
		l.release(t)
		if err := inv.Recheck(ctx); err != nil {
			return nil, err
		}
	}
	return nil, tools.Fail(inv.Spec.Full() + " was not run: what it works on was changed by other calls each time that it was about to run. Look at it again, then call it again.")
}

// again prepares inv anew while t is held, and gives t back when that fails.
func (l *Locks) again(ctx context.Context, inv *tools.Invocation, t *ticket) (err error) {
	done := false
	defer func() {
		if !done || err != nil {
			l.release(t)
		}
	}()
	err = inv.Reprepare(ctx)
	done = true
	return err
}

// admit waits for the calls before inv in its step, for a place to run, and for
// the locks.
func (l *Locks) admit(ctx context.Context, inv *tools.Invocation) (*ticket, error) {
	need := needs(inv)
	p, ok := inv.Order.(*Place)
	if !ok {
		return l.acquire(ctx, need, nil)
	}
	p.declare(need, false)
	if err := p.wait(ctx, need); err != nil {
		return nil, err
	}
	select {
	case p.line.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return l.acquire(ctx, need, func() { <-p.line.slots })
}

// needs are the declared locks, or those that stand for none declared.
func needs(inv *tools.Invocation) []tools.Lock {
	if len(inv.Action.Locks) > 0 {
		return inv.Action.Locks
	}
	return unknown(inv.Spec.ReadOnly)
}

// unknown are the locks of a call of which nothing is known but its tool.
func unknown(readOnly bool) []tools.Lock {
	return []tools.Lock{{Resource: tools.Everything, Shared: readOnly}}
}

// same tells whether two preparations of one call do and show the same, line
// numbers and surroundings of a change aside.
func same(a, b tools.Action) bool {
	return slices.Equal(a.Effects, b.Effects) && slices.Equal(a.Locks, b.Locks) &&
		a.Preview.Command == b.Preview.Command && a.Preview.Cwd == b.Preview.Cwd && a.Preview.Text == b.Preview.Text &&
		changed(a.Preview.Diff) == changed(b.Preview.Diff)
}

// changed are the lines of a unified diff that are taken out or put in.
func changed(diff string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(diff, "\n") {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, " ") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
