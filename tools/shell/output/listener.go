package output

import (
	"fmt"
	"sync"
	"time"

	"companion/tools/shell/screen"
)

// Bounds of what a listener hears: pieces, of at most so many bytes, at most
// so often. More is counted.
const (
	pieceBytes = 64 << 10
	pieceTime  = 40 * time.Millisecond
)

// listener passes an output on as it comes, safe to show. The zero value has
// nobody.
type listener struct {
	mu      sync.Mutex
	emit    func(string)
	strip   *screen.Strip
	pending []byte
	skipped int64
	told    time.Time
	timer   *time.Timer
}

// Listen gives every following piece of text to emit, until it is called with
// another or nil; then the one before has heard all that was written, and
// hears nothing more.
func (o *Output) Listen(emit func(string)) {
	l := &o.hearing
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	if l.emit != nil && l.strip != nil {
		if text := l.strip.End(); text != "" {
			l.emit(text)
		}
	}
	l.emit, l.strip = emit, screen.NewStrip()
}

func (l *listener) add(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.emit == nil {
		return
	}
	n := min(len(b), pieceBytes-len(l.pending))
	l.pending = append(l.pending, b[:n]...)
	l.skipped += int64(len(b) - n)
	if wait := pieceTime - time.Since(l.told); wait > 0 {
		if l.timer == nil {
			l.timer = time.AfterFunc(wait, func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.flush()
			})
		}
		return
	}
	l.flush()
}

// flush tells what is pending; the caller holds mu.
func (l *listener) flush() {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if l.emit == nil || len(l.pending) == 0 {
		return
	}
	l.told = time.Now()
	text := l.strip.Clean(l.pending)
	if l.skipped > 0 {
		l.strip.Skip()
		text += fmt.Sprintf("\n[… %d bytes came faster than they are shown …]\n", l.skipped)
	}
	l.pending, l.skipped = l.pending[:0], 0
	if text != "" {
		l.emit(text)
	}
}
