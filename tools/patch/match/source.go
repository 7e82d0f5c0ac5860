package match

import (
	"strings"

	"companion/text"
)

// source is a text by lines.
type source struct {
	text   string
	starts []int // of each line, and the end of the text
	ends   []int // of each line without its ending
	ending string
	open   bool // the last line has no ending
}

func newSource(s string) *source {
	n := strings.Count(s, "\n") + 1
	x := &source{text: s, starts: make([]int, 0, n+1), ends: make([]int, 0, n)}
	x.ending, _ = text.Ending(s)
	if x.ending == "" {
		x.ending = text.LF
	}
	cr := strings.IndexByte(s, '\r') >= 0
	at := 0
	for at < len(s) {
		var end, next int
		if cr {
			end, next = lineEnd(s, at)
		} else if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		} else {
			end, next = len(s), len(s)
		}
		x.starts, x.ends = append(x.starts, at), append(x.ends, end)
		x.open = end == next
		at = next
	}
	x.starts = append(x.starts, len(s))
	return x
}

// lineEnd finds the end of a line that may end with LF, CRLF or CR.
func lineEnd(s string, at int) (end, next int) {
	i := strings.IndexAny(s[at:], "\r\n")
	if i < 0 {
		return len(s), len(s)
	}
	end, next = at+i, at+i+1
	if s[end] == '\r' && next < len(s) && s[next] == '\n' {
		next++
	}
	return end, next
}

func (x *source) count() int { return len(x.ends) }

func (x *source) line(i int) string { return x.text[x.starts[i]:x.ends[i]] }
