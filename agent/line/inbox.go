package line

import "sync"

// Inbox is input that a running turn has not read yet. The zero value is open.
type Inbox[T any] struct {
	mu     sync.Mutex
	inputs []T
	closed bool
}

// Put adds an input; false when the turn reads no more.
func (b *Inbox[T]) Put(in T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.inputs = append(b.inputs, in)
	return true
}

// Take empties the inbox.
func (b *Inbox[T]) Take() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.inputs
	b.inputs = nil
	return out
}

// Close closes the inbox and tells whether it is closed: one that holds input
// stays open.
func (b *Inbox[T]) Close() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = len(b.inputs) == 0
	return b.closed
}

// Shut closes the inbox, whatever it holds.
func (b *Inbox[T]) Shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}
