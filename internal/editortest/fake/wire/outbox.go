package wire

import "sync"

// Outbox is a queue of frames without bound: putting never waits.
type Outbox struct {
	mu     sync.Mutex
	ready  *sync.Cond
	frames [][]byte
	closed bool
}

// NewOutbox gives an empty queue.
func NewOutbox() *Outbox {
	o := &Outbox{}
	o.ready = sync.NewCond(&o.mu)
	return o
}

// Put adds a frame.
func (o *Outbox) Put(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.frames = append(o.frames, frame)
	o.ready.Signal()
}

// Close ends Take once all frames are taken.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.ready.Broadcast()
}

// Take waits for the next frames, nil at the end.
func (o *Outbox) Take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.frames) == 0 && !o.closed {
		o.ready.Wait()
	}
	all := o.frames
	o.frames = nil
	return all
}
