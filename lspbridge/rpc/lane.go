package rpc

import "sync"

// maxLane bounds what was read and waits to be handled, in bytes; beyond it
// nothing more is read until some is.
const maxLane = 64 << 20

// lane handles notifications, and answers of the peer, one after the other in
// the order of the wire, apart from the read loop: a request that they do not
// concern need not wait for a burst of typing.
type lane struct {
	mu     sync.Mutex
	queue  []errand
	bytes  int
	last   int64 // position of what was put last
	fence  int64 // of what was put last and is not bulk
	done   int64
	wake   *sync.Cond // for the worker, and for a reader that ran ahead
	marks  []mark
	closed bool
}

type errand struct {
	size int
	run  func()
}

type mark struct {
	at      int64
	reached chan struct{}
}

func newLane() *lane {
	l := &lane{}
	l.wake = sync.NewCond(&l.mu)
	go l.work()
	return l
}

// put queues run, which must not wait. bulk is what a loose mark passes over.
// It waits while too much is queued, and does nothing once the lane is closed.
func (l *lane) put(size int, bulk bool, run func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.bytes > maxLane && !l.closed {
		l.wake.Wait()
	}
	if l.closed {
		return
	}
	l.last++
	if !bulk {
		l.fence = l.last
	}
	l.bytes += size
	l.queue = append(l.queue, errand{size, run})
	l.wake.Broadcast()
}

// mark is closed once all that was put so far is handled, when loose all that
// is not bulk and what came before that, or when the lane is closed.
func (l *lane) mark(loose bool) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := mark{l.last, make(chan struct{})}
	if loose {
		m.at = l.fence
	}
	if m.at <= l.done || l.closed {
		close(m.reached)
		return m.reached
	}
	l.marks = append(l.marks, m)
	return m.reached
}

func (l *lane) work() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for len(l.queue) == 0 && !l.closed {
			l.wake.Wait()
		}
		if l.closed {
			return
		}
		e := l.queue[0]
		l.queue[0] = errand{}
		l.queue = l.queue[1:]
		l.mu.Unlock()
		e.run()
		l.mu.Lock()
		l.bytes -= e.size
		l.done++
		l.reach()
		l.wake.Broadcast()
	}
}

// reach closes the marks that are reached. l.mu is held.
func (l *lane) reach() {
	keep := l.marks[:0]
	for _, m := range l.marks {
		if m.at <= l.done || l.closed {
			close(m.reached)
			continue
		}
		keep = append(keep, m)
	}
	l.marks = keep
}

// close drops what waits.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed, l.queue, l.bytes = true, nil, 0
	l.reach()
	l.wake.Broadcast()
}
