package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"companion/tools"
)

// Locks are the resources that running calls hold. Waiters are served first
// come, first served among those that conflict.
type Locks struct {
	mu      sync.Mutex
	held    []*ticket
	waiting []*ticket
	changes int               // how many files calls of ours have changed
	changed map[string]change // by canonical path: when a call of ours last did
}

// change of a file: when, and as which of all changes, counted from 1.
type change struct {
	at  time.Time
	nth int
}

type ticket struct {
	locks []tools.Lock
	ready chan struct{} // closed when granted
}

// New gives an empty set. One serves a whole process, so that threads that
// share files exclude each other.
func New() *Locks { return &Locks{changed: map[string]change{}} }

// Stage lets a call run while no conflicting one does. Where another call of
// ours changed a file of this one after it was prepared, it is prepared again
// and the checks that were registered by OnReprepare run again, without holding
// the locks meanwhile.
func Stage(locks *Locks) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			release, err := locks.enter(ctx, inv)
			if err != nil {
				return tools.Result{}, err
			}
			var res tools.Result
			defer func() { release(res.Changed) }()
			res, err = next(ctx, inv)
			return res, err
		}
	}
}

// enter takes the locks of inv's Action on its final preparation.
func (l *Locks) enter(ctx context.Context, inv *tools.Invocation) (func([]tools.Change), error) {
	seen := 0 // of changes, before Action was prepared again
	for {
		t, err := l.acquire(ctx, needs(inv))
		if err != nil {
			return nil, err
		}
		moved, now := l.moved(inv, seen)
		if !moved {
			return func(changed []tools.Change) { l.release(t, changed) }, nil
		}
		l.release(t, nil)
		seen = now
		if err := inv.Reprepare(ctx); err != nil {
			return nil, err
		}
	}
}

// needs are the declared locks, or those that stand for none declared.
func needs(inv *tools.Invocation) []tools.Lock {
	if len(inv.Action.Locks) > 0 {
		return inv.Action.Locks
	}
	return []tools.Lock{{Resource: tools.Everything, Shared: inv.Spec.ReadOnly}}
}

// moved tells whether a call of ours changed a file of inv since it was
// prepared, and how many changes there were by now. The first preparation knows
// only its time, in which a tie counts as a change; a later one knows exactly
// what it saw, so that one more preparation is enough where time stands still.
func (l *Locks) moved(inv *tools.Invocation, seen int) (moved bool, now int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range inv.Action.Effects {
		c, ok := l.changed[e.Path]
		if ok && e.Path != "" && c.nth > seen && !c.at.Before(inv.Prepared) {
			moved = true
		}
	}
	return moved, l.changes
}

func (l *Locks) acquire(ctx context.Context, need []tools.Lock) (*ticket, error) {
	t := &ticket{locks: need, ready: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, t)
	l.serve()
	l.mu.Unlock()
	select {
	case <-t.ready:
		return t, nil
	case <-ctx.Done():
		l.release(t, nil)
		return nil, ctx.Err()
	}
}

// serve grants every waiter that conflicts with no holder and with no waiter
// before it. The caller holds mu.
func (l *Locks) serve() {
	var still []*ticket
	for _, t := range l.waiting {
		if slices.ContainsFunc(l.held, t.conflicts) || slices.ContainsFunc(still, t.conflicts) {
			still = append(still, t)
			continue
		}
		l.held = append(l.held, t)
		close(t.ready)
	}
	l.waiting = still
}

func (l *Locks) release(t *ticket, changed []tools.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := func(x *ticket) bool { return x == t }
	l.held = slices.DeleteFunc(l.held, is)
	l.waiting = slices.DeleteFunc(l.waiting, is)
	for _, c := range changed {
		for _, path := range []string{c.Path, c.From} {
			if path != "" {
				l.changes++
				l.changed[path] = change{time.Now(), l.changes}
			}
		}
	}
	l.serve()
}

func (t *ticket) conflicts(o *ticket) bool {
	for _, a := range t.locks {
		for _, b := range o.locks {
			same := a.Resource == b.Resource || a.Resource == tools.Everything || b.Resource == tools.Everything
			if same && !(a.Shared && b.Shared) {
				return true
			}
		}
	}
	return false
}
