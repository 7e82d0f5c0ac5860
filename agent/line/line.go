package line

import (
	"slices"
	"sync"
)

// Line is the turns of one thread: the first has the thread. The zero value is
// empty.
type Line[T comparable] struct {
	mu     sync.Mutex
	turns  []T
	closed bool
}

// Place is what came of entering.
type Place int

// The places.
const (
	First  Place = iota // the thread is the turn's
	Behind              // the turn waits
	Out                 // the turn is not in the line
	Closed              // nobody enters any more
)

// Enter adds a turn. When another has the thread, busy decides whether the turn
// waits; it is called with the line locked. A turn that is not busy's is Out.
func (l *Line[T]) Enter(turn T, busy func(first T) (wait bool)) Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return Closed
	case len(l.turns) == 0:
		l.turns = append(l.turns, turn)
		return First
	case !busy(l.turns[0]):
		return Out
	}
	l.turns = append(l.turns, turn)
	return Behind
}

// Leave takes a turn out, and gives the one that now is the first when that is
// another than before.
func (l *Line[T]) Leave(turn T) (next T, changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.turns, turn)
	if i < 0 {
		return next, false
	}
	l.turns = slices.Delete(l.turns, i, i+1)
	if i > 0 || len(l.turns) == 0 {
		return next, false
	}
	return l.turns[0], true
}

// First is the turn that has the thread.
func (l *Line[T]) First() (turn T, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.turns) == 0 {
		return turn, false
	}
	return l.turns[0], true
}

// Close lets nobody enter any more; false, and nothing done, while a turn is in
// the line.
func (l *Line[T]) Close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = len(l.turns) == 0
	return l.closed
}
