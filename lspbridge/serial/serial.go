package serial

import (
	"sync"

	"github.com/sourcegraph/conc"
)

// Queue runs functions one after the other on its own goroutine, in the order
// of Do, which never waits.
type Queue struct {
	run  func(func()) // guards against panics
	loop conc.WaitGroup

	mu     sync.Mutex
	queue  []func()
	wake   *sync.Cond
	closed bool
}

// New starts a queue; run runs each function and guards against its panics.
func New(run func(func())) *Queue {
	q := &Queue{run: run}
	q.wake = sync.NewCond(&q.mu)
	q.loop.Go(q.work)
	return q
}

// Do adds f.
func (q *Queue) Do(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, f)
	q.wake.Signal()
}

func (q *Queue) work() {
	for {
		q.mu.Lock()
		for len(q.queue) == 0 && !q.closed {
			q.wake.Wait()
		}
		if q.closed {
			q.mu.Unlock()
			return
		}
		f := q.queue[0]
		q.queue = q.queue[1:]
		q.mu.Unlock()
		q.run(f)
	}
}

// Close drops what has not begun and waits for what has.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.wake.Signal()
	q.mu.Unlock()
	q.loop.Wait()
}
