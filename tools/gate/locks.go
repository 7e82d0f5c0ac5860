package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"companion/tools"
)

// Locks are the resources that running calls hold. Waiters are served first
// come, first served among those that conflict: neither do readers overtake a
// writer that waits, nor writers a reader.
type Locks struct {
	mu      sync.Mutex
	held    []*ticket
	waiting []*ticket
	changes int               // how many changes of ours there were
	changed map[string]change // by canonical path: when a call of ours last did
	all     change            // when a call that may change anything last ended
}

// change is when something was changed, and as which of all changes, counted
// from 1.
type change struct {
	at  time.Time
	nth int
}

type ticket struct {
	locks []tools.Lock
	ready chan struct{} // closed when granted
	after func()        // runs once the ticket is given back; may be nil
}

// New gives an empty set. One serves a whole process, so that threads that
// share files exclude each other.
func New() *Locks { return &Locks{changed: map[string]change{}} }

// moved tells whether a call of ours changed a file of inv, or may have changed
// anything, since it was prepared, and how many changes there were by now. The
// first preparation knows only its time, in which a tie counts as a change; a
// later one knows exactly what it saw, so that one more preparation is enough
// where time stands still.
func (l *Locks) moved(inv *tools.Invocation, seen int) (moved bool, now int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := func(c change) bool { return c.nth > seen && !c.at.Before(inv.Prepared) }
	moved = since(l.all)
	for _, e := range inv.Action.Effects {
		moved = moved || e.Path != "" && since(l.changed[e.Path])
	}
	return moved, l.changes
}

func (l *Locks) acquire(ctx context.Context, need []tools.Lock, after func()) (*ticket, error) {
	t := &ticket{locks: need, ready: make(chan struct{}), after: after}
	l.mu.Lock()
	l.waiting = append(l.waiting, t)
	l.serve()
	l.mu.Unlock()
	select {
	case <-t.ready:
		return t, nil
	case <-ctx.Done():
		l.release(t)
		return nil, ctx.Err()
	}
}

// serve grants every waiter that conflicts with no holder and with no waiter
// before it. The caller holds mu.
func (l *Locks) serve() {
	var still []*ticket
	for _, t := range l.waiting {
		conflicts := func(o *ticket) bool { return conflict(t.locks, o.locks) }
		if slices.ContainsFunc(l.held, conflicts) || slices.ContainsFunc(still, conflicts) {
			still = append(still, t)
			continue
		}
		l.held = append(l.held, t)
		close(t.ready)
	}
	l.waiting = still
}

// leave notes what a call did and gives its ticket back.
func (l *Locks) leave(t *ticket, files []tools.Change, inv *tools.Invocation) {
	l.mu.Lock()
	for _, c := range files {
		for _, path := range []string{c.Path, c.From} {
			if path != "" {
				l.changes++
				l.changed[path] = change{time.Now(), l.changes}
			}
		}
	}
	if !inv.Spec.ReadOnly && slices.Contains(t.locks, tools.Lock{Resource: tools.Everything}) {
		l.changes++
		l.all = change{time.Now(), l.changes}
	}
	l.mu.Unlock()
	l.release(t)
}

// release gives a ticket back, granted or not.
func (l *Locks) release(t *ticket) {
	l.mu.Lock()
	is := func(x *ticket) bool { return x == t }
	l.held = slices.DeleteFunc(l.held, is)
	l.waiting = slices.DeleteFunc(l.waiting, is)
	l.serve()
	l.mu.Unlock()
	if t.after != nil {
		t.after()
	}
}

// conflict tells whether two sets of locks cannot be held at the same time.
func conflict(x, y []tools.Lock) bool {
	for _, a := range x {
		for _, b := range y {
			same := a.Resource == b.Resource || a.Resource == tools.Everything || b.Resource == tools.Everything
			if same && !(a.Shared && b.Shared) {
				return true
			}
		}
	}
	return false
}
