package gate

import (
	"context"
	"slices"
	"sync"

	"companion/tools"
)

// Most is how many calls of one step run at the same time.
const Most = 8

// Line is the calls of one step in call order. Calls that conflict run in that
// order, though all are prepared at the same time. A call with unknown effects
// that waits for a person holds up nobody: what needs no yes runs at once.
type Line struct {
	slots chan struct{} // one token for each call that may run

	mu     sync.Mutex
	places []*Place      // of calls that have not ended, in call order
	moved  chan struct{} // closed, and replaced, when one of them changes
}

// Place is a call's place in its Line; it implements tools.Order.
type Place struct {
	line  *Line
	locks []tools.Lock // as far as they are known
	asks  bool         // a person has to be asked
}

// NewLine gives an empty line.
func NewLine() *Line { return &Line{slots: make(chan struct{}, Most), moved: make(chan struct{})} }

// Join takes the place behind all others. readOnly is what is known of the call
// before it is prepared.
func (l *Line) Join(readOnly bool) *Place {
	p := &Place{line: l, locks: unknown(readOnly)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places = append(l.places, p)
	return p
}

// tell wakes those that wait; the caller holds mu.
func (l *Line) tell() {
	close(l.moved)
	l.moved = make(chan struct{})
}

// Leave gives the place up, once its call has ended in whatever way.
func (p *Place) Leave() {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places = slices.DeleteFunc(l.places, func(o *Place) bool { return o == p })
	l.tell()
}

func (p *Place) declare(locks []tools.Lock, asks bool) {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	p.locks, p.asks = locks, asks
	l.tell()
}

// Settled implements tools.Order: it waits until every call before this one
// that may change something has ended.
func (p *Place) Settled(ctx context.Context) (waited bool, err error) {
	return p.until(ctx, func(o *Place) bool {
		return slices.ContainsFunc(o.locks, func(k tools.Lock) bool { return !k.Shared })
	})
}

// wait returns once no call before this one conflicts with need.
func (p *Place) wait(ctx context.Context, need []tools.Lock) error {
	_, err := p.until(ctx, func(o *Place) bool {
		if o.asks && slices.Contains(o.locks, tools.Lock{Resource: tools.Everything}) {
			return false
		}
		return conflict(o.locks, need)
	})
	return err
}

// until waits while a place before p holds it up.
func (p *Place) until(ctx context.Context, holds func(*Place) bool) (waited bool, err error) {
	l := p.line
	for {
		l.mu.Lock()
		before := l.places[:max(0, slices.Index(l.places, p))]
		held, moved := slices.ContainsFunc(before, holds), l.moved
		l.mu.Unlock()
		if !held {
			return waited, nil
		}
		waited = true
		select {
		case <-moved:
		case <-ctx.Done():
			return waited, ctx.Err()
		}
	}
}
