package lspbridge

import (
	"sync"

	"github.com/sourcegraph/conc"
)

// serial runs functions one after the other on its own goroutine, in the order
// of do, which never waits.
type serial struct {
	run  func(func()) // guards against panics
	loop conc.WaitGroup

	mu     sync.Mutex
	queue  []func()
	wake   *sync.Cond
	closed bool
}

func newSerial(run func(func())) *serial {
	q := &serial{run: run}
	q.wake = sync.NewCond(&q.mu)
	q.loop.Go(q.work)
	return q
}

func (q *serial) do(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, f)
	q.wake.Signal()
}

func (q *serial) work() {
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

// close drops what has not begun and waits for what has.
func (q *serial) close() {
	q.mu.Lock()
	q.closed = true
	q.wake.Signal()
	q.mu.Unlock()
	q.loop.Wait()
}
