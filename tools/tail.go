package tools

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// tailBytes is how much output of a call that was cut short its result repeats.
const tailBytes = 8_000

// tail passes on what a running call tells and keeps the end of its output, for
// the words about a call that never came to a result.
type tail struct {
	to Progress // may be nil

	mu   sync.Mutex
	kept []byte
	all  int // bytes told
}

// Output implements Progress.
func (t *tail) Output(text string) {
	if t.to != nil {
		t.to.Output(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all += len(text)
	if t.kept = append(t.kept, text...); len(t.kept) > 2*tailBytes {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailBytes:]...)
	}
}

// Activity implements Progress.
func (t *tail) Activity(text string) {
	if t.to != nil {
		t.to.Activity(text)
	}
}

// words are the output so far, "" when there was none.
func (t *tail) words() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-tailBytes):]
	for len(kept) > 0 && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}
	switch {
	case len(kept) == 0:
		return ""
	case t.all > len(kept):
		return fmt.Sprintf("\nThe last %d of %d bytes of output so far:\n%s", len(kept), t.all, kept)
	}
	return "\nOutput so far:\n" + string(kept)
}
