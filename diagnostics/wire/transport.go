package wire

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Transport is the talk with one running server.
type Transport interface {
	io.ReadWriteCloser // Close closes the server's input and our end of its output
	// Kill ends the server and all of its process group at once. It may be
	// called often.
	Kill()
	// Exit says how the server ended, with the last line of its error output;
	// "" while that is not known.
	Exit() string
}

// Command is what starts a server.
type Command struct {
	Path string // of the executable, as found
	Args []string
	Env  []string // "K=V", whole environment
	Dir  string   // working folder
}

// Dialer starts a server and gives the talk with it.
type Dialer func(ctx context.Context, cmd Command) (Transport, error)

// maxQueued bounds the bytes that wait for a server that does not read; a
// document of 1 MB and its edits fit many times.
const maxQueued = 64 << 20

var errQueue = errors.New("the language server does not read its input")

// Outbox makes writes to a server non-blocking: Write queues, Run drains.
type Outbox struct {
	Transport
	wake chan struct{} // capacity 1

	mu     sync.Mutex
	buf    []byte
	closed bool
	err    error
}

// NewOutbox queues what is written to t.
func NewOutbox(t Transport) *Outbox { return &Outbox{Transport: t, wake: make(chan struct{}, 1)} }

func (o *Outbox) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return 0, o.err
	case o.closed:
		return 0, io.ErrClosedPipe
	case len(o.buf)+len(p) > maxQueued:
		return 0, errQueue
	}
	o.buf = append(o.buf, p...)
	o.signal()
	return len(p), nil
}

func (o *Outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Close ends Run and the talk.
func (o *Outbox) Close() error {
	o.mu.Lock()
	o.closed = true
	o.signal()
	o.mu.Unlock()
	return o.Transport.Close()
}

// Run writes what is queued until Close or a write error; an error (EPIPE of a
// dead server) ends the talk, so that the reader sees it too.
func (o *Outbox) Run() {
	for range o.wake {
		o.mu.Lock()
		buf, closed := o.buf, o.closed
		o.buf = nil
		o.mu.Unlock()
		if closed {
			return
		}
		if len(buf) == 0 {
			continue
		}
		if _, err := o.Transport.Write(buf); err != nil {
			o.mu.Lock()
			o.err = err
			o.mu.Unlock()
			_ = o.Transport.Close()
			return
		}
	}
}
