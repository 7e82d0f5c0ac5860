package fake

import "sync"

// outbox is the queue of frames to the server.
type outbox struct {
	mu     sync.Mutex
	ready  *sync.Cond
	frames [][]byte
	closed bool
}

func (o *outbox) put(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.frames = append(o.frames, frame)
	o.ready.Signal()
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.ready.Broadcast()
}

// take waits for the next frames, nil at the end.
func (o *outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.frames) == 0 && !o.closed {
		o.ready.Wait()
	}
	all := o.frames
	o.frames = nil
	return all
}

func (e *Editor) write() {
	for {
		frames := e.out.take()
		if frames == nil {
			return
		}
		for _, f := range frames {
			if _, err := e.rwc.Write(f); err != nil {
				return
			}
		}
	}
}
