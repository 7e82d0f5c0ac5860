package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// lossyQueue is how much may wait to be written, in bytes, before that is left
// out which may be.
const lossyQueue = 4 << 20

// maxQueue bounds what waits to be written, in bytes. An editor that is so far
// behind does not read at all.
const maxQueue = MaxFrame

// stream is a jsonrpc2.Stream that survives bad messages and never blocks a
// writer.
type stream struct {
	in   *bufio.Reader
	out  io.Writer
	max  int64
	log  *slog.Logger
	lane *lane
	// settle takes the answers of the peer, in their order with notifications.
	settle func(*jsonrpc2.Response)
	buf    bytes.Buffer // body of the frame that was read last

	ended   chan struct{} // closed when no more is read
	drained chan struct{} // closed when the writer has written all and stopped

	mu      sync.Mutex
	queue   [][]byte
	queued  int // bytes
	lost    int // messages that behind left out
	wake    *sync.Cond
	closing bool
	err     error                    // why reading or writing ended
	hooks   map[jsonrpc2.ID][]func() // to run once the answer is queued
	over    bool                     // ended is closed
}

func newStream(in io.Reader, out io.Writer, limit int64, log *slog.Logger, lane *lane, settle func(*jsonrpc2.Response)) *stream {
	s := &stream{
		in: bufio.NewReaderSize(in, 16<<10), out: out, max: limit, log: log, lane: lane, settle: settle,
		ended: make(chan struct{}), drained: make(chan struct{}), hooks: map[jsonrpc2.ID][]func(){},
	}
	s.wake = sync.NewCond(&s.mu)
	go s.writeLoop()
	return s
}

// Read implements jsonrpc2.Stream: the next request or notification. What it
// refuses it answers itself; answers of the peer go to settle.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if s.isOver() {
			return nil, 0, io.EOF
		}
		n, err := readHeader(s.in)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.log.Error("connection ended", "err", err)
			}
			s.rest()
			s.end(err)
			return nil, 0, err
		}
		if n > s.max {
			if _, err := io.CopyN(io.Discard, s.in, n); err != nil {
				s.end(io.ErrUnexpectedEOF)
				return nil, 0, io.ErrUnexpectedEOF
			}
			s.log.Warn("frame skipped", "bytes", n, "limit", s.max)
			s.answer(refuse(jsonrpc2.ID{}, ParseError, fmt.Sprintf("a frame of %d bytes is over the limit of %d and was skipped", n, s.max)))
			continue
		}
		if s.buf.Cap() > keepBuffer {
			s.buf = bytes.Buffer{}
		}
		s.buf.Reset()
		if _, err := io.CopyN(&s.buf, s.in, n); err != nil {
			s.log.Error("connection ended inside a frame", "bytes", n, "read", s.buf.Len())
			s.end(io.ErrUnexpectedEOF)
			return nil, 0, io.ErrUnexpectedEOF
		}
		msg, refusal := decode(s.buf.Bytes())
		if refusal != nil {
			s.log.Warn("bad message", "err", refusal.Err(), "bytes", n)
			s.answer(refusal)
			continue
		}
		if r, ok := msg.(*jsonrpc2.Response); ok {
			s.lane.put(int(n), true, func() { s.settle(r) })
			continue
		}
		return msg, n, nil
	}
}

// lastTime is how long what was read before the end may take to be handled.
const lastTime = 100 * time.Millisecond

// rest waits for it.
func (s *stream) rest() {
	select {
	case <-s.lane.mark(false):
	case <-time.After(lastTime):
	}
}

func (s *stream) answer(r *jsonrpc2.Response) { s.enqueue(appendFrame(nil, r)) }

// Write implements jsonrpc2.Stream: it queues, and runs the hooks of an answer
// once that is queued.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	frame := appendFrame(nil, msg)
	if err := s.enqueue(frame); err != nil {
		return 0, err
	}
	for _, f := range s.takeHooks(frame) {
		f()
	}
	return int64(len(frame)), nil
}

// takeHooks finds the hooks of the answer in frame. jsonrpc2 hides the id of
// what it writes, so it is read back, only while hooks wait.
func (s *stream) takeHooks(frame []byte) []func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hooks) == 0 {
		return nil
	}
	_, body, _ := bytes.Cut(frame, []byte("\r\n\r\n"))
	msg, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return nil
	}
	r, ok := msg.(*jsonrpc2.Response)
	if !ok {
		return nil
	}
	fs := s.hooks[r.ID()]
	delete(s.hooks, r.ID())
	return fs
}

func (s *stream) afterReply(id jsonrpc2.ID, fs []func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks[id] = append(s.hooks[id], fs...)
}

func (s *stream) enqueue(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return ErrClosed
	}
	if s.queued > 0 && s.queued+len(frame) > maxQueue {
		err := fmt.Errorf("the editor reads nothing: %d bytes wait, more than %d", s.queued+len(frame), int64(maxQueue))
		if !s.over {
			s.log.Error("connection ended", "err", err, "left out", s.lost)
		}
		s.closing, s.queue, s.queued = true, nil, 0
		s.endLocked(err)
		return ErrClosed
	}
	s.queue = append(s.queue, frame)
	s.queued += len(frame)
	s.wake.Signal()
	return nil
}

// behind reports whether so much waits to be written that a message which may
// be left out should be, and counts it.
func (s *stream) behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queued <= lossyQueue {
		return false
	}
	if s.lost++; s.lost == 1 {
		s.log.Warn("the editor is behind: what may be left out is", "bytes", s.queued)
	}
	return true
}

// writeLoop is the only writer.
func (s *stream) writeLoop() {
	defer close(s.drained)
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closing {
			s.wake.Wait()
		}
		if len(s.queue) == 0 {
			s.mu.Unlock()
			return
		}
		frame := s.queue[0]
		s.queue = s.queue[1:]
		s.queued -= len(frame)
		s.mu.Unlock()
		if _, err := s.out.Write(frame); err != nil {
			s.mu.Lock()
			s.closing, s.queue = true, nil
			s.endLocked(fmt.Errorf("write to the editor: %w", err))
			s.mu.Unlock()
			return
		}
	}
}

func (s *stream) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// end makes reading end; the first reason counts.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(err)
}

func (s *stream) endLocked(err error) {
	if s.over {
		return
	}
	s.over, s.err = true, err
	close(s.ended)
	s.lane.close()
}

// flush lets the writer end once it has written all.
func (s *stream) flush() {
	s.mu.Lock()
	s.closing = true
	s.wake.Signal()
	s.mu.Unlock()
}

// Close implements jsonrpc2.Stream. The byte streams belong to the caller.
func (s *stream) Close() error {
	s.end(io.EOF)
	return nil
}
