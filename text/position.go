package text

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit in which a Position counts characters.
type Encoding string

// The encodings of LSP 3.17 (general.positionEncodings).
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Position is a place in a text: Line is 0-based, Character is 0-based and
// counted in code units of an Encoding that the context names (utf-16 unless
// said otherwise).
type Position struct{ Line, Character int }

// Less orders positions by line, then character.
func (p Position) Less(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// Range is half open: End is the first position after it.
type Range struct{ Start, End Position }

// Index finds lines in one text. \n, \r\n and \r each end a line (LSP 3.17,
// "Text Documents"). It is immutable and safe for concurrent use.
type Index struct {
	src    string
	starts []int // byte offset of the first byte of each line
}

// NewIndex scans src once, O(len(src)).
func NewIndex(src string) *Index {
	x := &Index{src: src, starts: make([]int, 1, 2+strings.Count(src, LF))}
	if strings.IndexByte(src, '\r') < 0 {
		for i := 0; ; {
			n := strings.IndexByte(src[i:], '\n')
			if n < 0 {
				return x
			}
			i += n + 1
			x.starts = append(x.starts, i)
		}
	}
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\n':
			x.starts = append(x.starts, i+1)
		case '\r':
			if i+1 < len(src) && src[i+1] == '\n' {
				i++
			}
			x.starts = append(x.starts, i+1)
		}
	}
	return x
}

// Text returns the indexed text.
func (x *Index) Text() string { return x.src }

// Lines is the number of lines; a text that ends with a line ending has an
// empty last line, the empty text has one line.
func (x *Index) Lines() int { return len(x.starts) }

// Span returns the byte offsets of line i (0-based) without its line ending.
func (x *Index) Span(i int) (start, end int) {
	start = x.starts[i]
	if i+1 == len(x.starts) {
		return start, len(x.src)
	}
	end = x.starts[i+1] - 1
	if end > start && x.src[end] == '\n' && x.src[end-1] == '\r' {
		end--
	}
	return start, end
}

// Line returns line i (0-based) without its line ending, "" when out of range.
func (x *Index) Line(i int) string {
	if i < 0 || i >= len(x.starts) {
		return ""
	}
	s, e := x.Span(i)
	return x.src[s:e]
}

// Offset converts a position to a byte offset. A line past the end gives the
// end of the text, a character past the end of its line the end of the line
// (before its line ending), a character inside a code point its start; negative
// numbers count as 0.
func (x *Index) Offset(p Position, enc Encoding) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(x.starts) {
		return len(x.src)
	}
	start, end := x.Span(p.Line)
	if p.Character <= 0 {
		return start
	}
	if enc == UTF8 {
		return x.runeStart(start, min(p.Character, end-start)+start)
	}
	units := 0
	for off := start; off < end; {
		r, size := utf8.DecodeRuneInString(x.src[off:end])
		n := 1
		if enc == UTF16 && r > 0xFFFF {
			n = 2
		}
		if units+n > p.Character {
			return off
		}
		units += n
		off += size
	}
	return end
}

// Find gives the byte offsets of a range in src as Offset does, without an
// index of all lines.
func Find(src string, r Range, enc Encoding) (start, end int) {
	next := nextLine
	if strings.IndexByte(src, '\r') < 0 {
		next = nextLF
	}
	at, n := 0, 0 // line n starts at at
	find := func(p Position) int {
		if p.Line < 0 {
			return 0
		}
		if p.Line < n {
			at, n = 0, 0
		}
		for n < p.Line {
			to := next(src, at)
			if to < 0 {
				return len(src)
			}
			at, n = to, n+1
		}
		line := Index{src: src, starts: []int{at}}
		if to := next(src, at); to >= 0 {
			line.starts = append(line.starts, to)
		}
		return line.Offset(Position{0, p.Character}, enc)
	}
	return find(r.Start), find(r.End)
}

// nextLF is nextLine of a text without \r.
func nextLF(src string, from int) int {
	if n := strings.IndexByte(src[from:], '\n'); n >= 0 {
		return from + n + 1
	}
	return -1
}

// nextLine is the start of the line after that which starts at from, -1 = none.
func nextLine(src string, from int) int {
	for i := from; i < len(src); i++ {
		switch {
		case src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n':
			return i + 2
		case src[i] == '\r', src[i] == '\n':
			return i + 1
		}
	}
	return -1
}

// Position converts a byte offset to a position; offsets outside the text are
// clamped, an offset inside a line ending gives the end of that line, one
// inside a code point its start.
func (x *Index) Position(off int, enc Encoding) Position {
	off = max(0, min(off, len(x.src)))
	line := sort.SearchInts(x.starts, off+1) - 1
	start, end := x.Span(line)
	off = min(off, end)
	if enc == UTF8 {
		return Position{line, x.runeStart(start, off) - start}
	}
	units := 0
	for i := start; i < off; {
		r, size := utf8.DecodeRuneInString(x.src[i:end])
		if i+size > off {
			break
		}
		units++
		if enc == UTF16 && r > 0xFFFF {
			units++
		}
		i += size
	}
	return Position{line, units}
}

// runeStart is off, or the start of the code point that off lies inside of; not
// before line. Bytes that are not UTF-8 are code points of their own.
func (x *Index) runeStart(line, off int) int {
	if off >= len(x.src) {
		return off
	}
	for i := off; i >= line && i > off-utf8.UTFMax; i-- {
		if utf8.RuneStart(x.src[i]) {
			if _, size := utf8.DecodeRuneInString(x.src[i:]); i+size > off {
				return i
			}
			return off
		}
	}
	return off
}

// boundary tells whether a Position can name off exactly.
func (x *Index) boundary(off int) bool {
	if off <= 0 || off >= len(x.src) {
		return off == 0 || off == len(x.src)
	}
	if x.src[off] == '\n' && x.src[off-1] == '\r' {
		return false
	}
	return x.runeStart(0, off) == off
}

// pieces are the lines with their endings, without an empty last one.
func (x *Index) pieces() []string {
	out := make([]string, 0, len(x.starts))
	for i := range x.starts {
		if p := x.src[x.starts[i]:x.pieceStart(i+1)]; p != "" {
			out = append(out, p)
		}
	}
	return out
}

func (x *Index) pieceStart(i int) int {
	if i >= len(x.starts) {
		return len(x.src)
	}
	return x.starts[i]
}
