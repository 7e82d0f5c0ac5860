package fake

import (
	"fmt"
	"io"
	"time"
)

func (e *Editor) record(x Entry) {
	x.At = time.Since(e.started)
	e.entries = append(e.entries, x)
	if e.opt.Heard != nil {
		e.opt.Heard(x)
	}
}

// Entries returns all that went over the wire so far.
func (e *Editor) Entries() []Entry {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Entry(nil), e.entries...)
}

// Transcript writes a readable line or more for each message, with the time
// since Connect in milliseconds.
func (e *Editor) Transcript(w io.Writer) error {
	for _, x := range e.Entries() {
		if _, err := fmt.Fprintf(w, "%6d %s\n", x.At.Milliseconds(), x); err != nil {
			return err
		}
	}
	return nil
}
