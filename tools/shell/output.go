package shell

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// keep is how many bytes of the beginning and of the end of an output stay in
// memory, 1 MiB in all.
const keep = 512 << 10

// tail keeps head and tail of an output and hands on all of it as it comes.
type tail struct {
	emit func(string)

	mu    sync.Mutex
	head  []byte
	last  []byte // at most 2*keep, cut to keep when full
	lost  int64  // bytes between head and last
	carry []byte // the beginning of a rune that is not complete yet
}

func newTail(emit func(string)) *tail { return &tail{emit: emit} }

// readFrom reads until the end, or until r is closed.
func (t *tail) readFrom(r io.Reader) {
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		if n > 0 {
			t.add(chunk[:n])
			t.tell(chunk[:n], false)
		}
		if err != nil {
			t.tell(nil, true)
			return
		}
	}
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := keep - len(t.head); room > 0 {
		n := min(room, len(b))
		t.head, b = append(t.head, b[:n]...), b[n:]
	}
	t.last = append(t.last, b...)
	if len(t.last) > 2*keep {
		drop := len(t.last) - keep
		t.lost += int64(drop)
		t.last = append(t.last[:0], t.last[drop:]...)
	}
}

// tell emits whole runes; what is no UTF-8 becomes U+FFFD. Only the reader
// calls it.
func (t *tail) tell(b []byte, end bool) {
	b = append(t.carry, b...)
	t.carry = nil
	if !end {
		for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
			if c := b[len(b)-i]; utf8.RuneStart(c) {
				if !utf8.FullRune(b[len(b)-i:]) {
					t.carry = append([]byte(nil), b[len(b)-i:]...)
					b = b[:len(b)-i]
				}
				break
			}
		}
	}
	if len(b) > 0 {
		t.emit(strings.ToValidUTF8(string(b), "\uFFFD"))
	}
}

// text is the output as a model reads it: without the escape sequences that
// colour and move, and with the lost middle counted.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.last
	lost := t.lost
	if len(last) > keep {
		lost += int64(len(last) - keep)
		last = last[len(last)-keep:]
	}
	out := string(t.head)
	if lost > 0 {
		out += fmt.Sprintf("\n[… %d bytes of output in the middle were not kept …]\n", lost)
	}
	out = strings.ToValidUTF8(out+string(last), "\uFFFD")
	if strings.ContainsAny(out, "\x1b\x00") {
		out = escapes().ReplaceAllString(out, "")
		out = strings.ReplaceAll(out, "\x00", "\uFFFD")
	}
	return strings.ReplaceAll(out, "\r\n", "\n")
}

// escapes are CSI and OSC sequences (ECMA-48, 5.4 and 8.3.89).
func escapes() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]")
}
