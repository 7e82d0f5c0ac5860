package wire

import (
	"io"
	"sync"
)

// Pipe gives the two ends of a connection in memory. Unlike io.Pipe it buffers
// without bound, as the pipe of a process nearly does: a writer never waits for
// a reader. Closing one end gives the other io.EOF after what was written.
func Pipe() (a, b io.ReadWriteCloser) {
	x, y := newBuffer(), newBuffer()
	return &end{x, y}, &end{y, x}
}

type end struct{ in, out *buffer }

func (e *end) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }

func (e *end) Close() error {
	e.in.close()
	e.out.close()
	return nil
}

type buffer struct {
	mu     sync.Mutex
	more   *sync.Cond
	data   []byte
	closed bool
}

func newBuffer() *buffer {
	b := &buffer{}
	b.more = sync.NewCond(&b.mu)
	return b
}

func (b *buffer) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 {
		if b.closed {
			return 0, io.EOF
		}
		b.more.Wait()
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

func (b *buffer) write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	b.data = append(b.data, p...)
	b.more.Broadcast()
	return len(p), nil
}

func (b *buffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.more.Broadcast()
}
