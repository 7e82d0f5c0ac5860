package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"companion/text"
)

// counted bounds how many bytes of one line are looked at for its length, in
// blocks: 1 MiB.
const counted = 16

// Text is a text of which any lines can be had.
type Text struct {
	*layout
	at   io.ReaderAt
	done func() error
}

// layout is what one scan learns of a text; it does not change.
type layout struct {
	size    int64 // bytes that were scanned
	block   int   // bytes, of which the first line that begins in them is marked
	start   int64 // of the text, behind a byte order mark
	marks   []mark
	lines   int
	more    bool // there are more lines: the scan ended early
	charset text.Charset
	hash    string
}

// mark is where a line begins.
type mark struct {
	line int // 0-based
	at   int64
}

// Line is one line, or a part of it.
type Line struct {
	Text string // without its ending
	// Cut: the line goes on behind Text.
	Cut bool
	// Chars is the number of characters of the whole line, or -1 where it is so
	// long that they were not counted.
	Chars int
}

// Of makes a text that is in memory readable by lines. What is not valid UTF-8 in
// it is shown as U+FFFD.
func Of(s string) *Text {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
	r := strings.NewReader(s)
	l, err := scan(context.Background(), r, int64(len(s)), text.CharsetUTF8, effort{stride, math.MaxInt64, 0})
	if err != nil {
		panic(err) // it is valid UTF-8 without NUL
	}
	return &Text{layout: l, at: r}
}

// Lines is the number of lines; what follows the last line ending is one only
// if it is not empty. \n, \r\n and \r each end a line.
func (t *Text) Lines() int { return t.lines }

// More tells whether there are lines behind those of Lines, which were not looked
// at.
func (t *Text) More() bool { return t.more }

// Charset is how the bytes were taken.
func (t *Text) Charset() text.Charset { return t.charset }

// Size is in bytes.
func (t *Text) Size() int64 { return t.size }

// Hash is workspace.Snapshot.Hash of the text, "" for one over HashMax.
func (t *Text) Hash() string { return t.hash }

// Close ends the use of a file.
func (t *Text) Close() error {
	if t.done == nil {
		return nil
	}
	return t.done()
}

// Read gives lines from the one numbered first (0-based) on, at most count, each
// with at most chars characters; enough tells, with what was read so far, that
// no more are wanted. A text that became shorter since it was scanned ends early.
func (t *Text) Read(ctx context.Context, first, count, chars int, enough func(Line) bool) error {
	if first < 0 || first >= t.lines {
		return nil
	}
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].line > first }) - 1
	r := t.reader(t.marks[i].at)
	for line := t.marks[i].line; line < first; line++ {
		if _, err := r.line(0, t.after(line)); err != nil {
			return done(err)
		}
	}
	for n := first; n < min(first+count, t.lines); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := r.line(chars, t.after(n))
		if err != nil && (err != io.EOF || line.Text == "") {
			return done(err)
		}
		if enough(line) {
			return nil
		}
	}
	return nil
}

// Rest gives at most limit bytes (in UTF-8) of one line (0-based) from its
// character column (0-based) on. ok is false where the line ends before.
func (t *Text) Rest(ctx context.Context, line, column, limit int) (rest Line, ok bool, err error) {
	if line < 0 || line >= t.lines {
		return Line{}, false, nil
	}
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].line > line }) - 1
	r := t.reader(t.marks[i].at)
	for n := t.marks[i].line; n < line; n++ {
		if _, err := r.line(0, t.after(n)); err != nil {
			return Line{}, false, done(err)
		}
	}
	for n := 0; n < column; n++ {
		if ctx.Err() != nil {
			return Line{}, false, ctx.Err()
		}
		if piece, k := r.plain(column - n); k > 0 {
			r.discard(len(piece))
			n += k - 1
			continue
		}
		if _, ends, err := r.rune(); ends || err != nil {
			return Line{}, false, done(err)
		}
	}
	var b strings.Builder
	for {
		c, ends, err := r.rune()
		if ends || err != nil {
			return Line{Text: b.String(), Chars: -1}, b.Len() > 0, done(err)
		}
		if b.Len()+utf8.RuneLen(c) > limit {
			return Line{Text: b.String(), Cut: true, Chars: -1}, true, nil
		}
		b.WriteRune(c)
	}
}

func done(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// after is where the line behind line (0-based) begins, or -1 where no mark says.
func (t *Text) after(line int) int64 {
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].line > line })
	switch {
	case i < len(t.marks) && t.marks[i].line == line+1:
		return t.marks[i].at
	case line+1 == t.lines:
		return t.size
	}
	return -1
}

// write adds bytes of one-byte units, or of UTF-8.
func (t *Text) write(b *strings.Builder, piece []byte) {
	if t.charset == text.CharsetUTF8 {
		b.Write(piece)
		return
	}
	for _, c := range piece {
		b.WriteRune(rune(c))
	}
}

func (t *Text) reader(at int64) *reader {
	r := &reader{t: t}
	r.seek(max(at, t.start))
	return r
}

// reader reads characters of a text.
type reader struct {
	t   *Text
	pos int64
	in  *bufio.Reader
}

func (r *reader) seek(at int64) {
	r.pos = at
	section := io.NewSectionReader(r.t.at, at, r.t.size-at)
	if r.in == nil {
		r.in = bufio.NewReaderSize(section, r.t.block)
		return
	}
	r.in.Reset(section)
}

// line reads to behind the next line ending. next is where the line after it
// begins, -1 = not known; it is jumped to where the line is very long.
func (r *reader) line(chars int, next int64) (Line, error) {
	var b strings.Builder
	start := r.pos
	for n := 0; ; n++ {
		if piece, k := r.plain(chars - n); k > 0 {
			r.t.write(&b, piece)
			r.discard(len(piece))
			n += k
		}
		if n >= chars {
			rest, err := r.skip(start, next)
			if rest < 0 {
				return Line{Text: b.String(), Cut: true, Chars: -1}, err
			}
			return Line{Text: b.String(), Cut: rest > 0, Chars: n + rest}, err
		}
		c, ends, err := r.rune()
		if err == io.EOF && n > 0 {
			err = nil
		}
		if ends || err != nil || c < 0 {
			return Line{Text: b.String(), Chars: n}, err
		}
		b.WriteRune(c)
	}
}

// skip counts the characters up to the line's end and goes behind it; -1 = not
// counted.
func (r *reader) skip(start, next int64) (chars int, err error) {
	for {
		if next > r.pos && r.pos-start > counted*int64(r.t.block) {
			r.seek(next)
			return -1, nil
		}
		if piece, n := r.plain(math.MaxInt); n > 0 {
			r.discard(len(piece))
			chars += n
			continue
		}
		c, ends, err := r.rune()
		if err == io.EOF && (chars > 0 || r.pos > start) {
			err = nil
		}
		if ends || err != nil || c < 0 {
			return chars, err
		}
		chars++
	}
}

// plain gives buffered bytes of a line that are at most chars characters, whole
// ones, and how many characters they are; none where it cannot tell at once.
func (r *reader) plain(chars int) (piece []byte, n int) {
	if r.t.charset != text.CharsetUTF8 && r.t.charset != text.CharsetLatin1 {
		return nil, 0
	}
	buf, _ := r.in.Peek(r.in.Buffered())
	whole := len(buf)
	for _, c := range []byte("\n\r") {
		if i := bytes.IndexByte(buf, c); i >= 0 {
			buf = buf[:i]
		}
	}
	if r.t.charset == text.CharsetLatin1 {
		buf = buf[:min(len(buf), chars)]
		return buf, len(buf)
	}
	if len(buf) == whole { // the last character may go on in the next buffer
		buf = buf[:len(buf)-unfinished(buf)]
	}
	if n = utf8.RuneCount(buf); n <= chars {
		return buf, n
	}
	at := 0
	for range chars {
		_, size := utf8.DecodeRune(buf[at:])
		at += size
	}
	return buf[:at], chars
}

func (r *reader) discard(n int) {
	_, _ = r.in.Discard(n)
	r.pos += int64(n)
}

// rune reads one character; ends: it was a line ending, read whole. At the end
// of the text it is -1 with io.EOF.
func (r *reader) rune() (c rune, ends bool, err error) {
	if c, err = r.next(); err != nil {
		return -1, false, err
	}
	switch c {
	case '\n':
		return c, true, nil
	case '\r':
		unit := []byte("\n")
		switch r.t.charset {
		case text.CharsetUTF16LE:
			unit = []byte("\n\x00")
		case text.CharsetUTF16BE:
			unit = []byte("\x00\n")
		}
		if b, err := r.in.Peek(len(unit)); err == nil && string(b) == string(unit) {
			r.discard(len(unit))
		}
		return c, true, nil
	}
	return c, false, nil
}

func (r *reader) next() (rune, error) {
	switch r.t.charset {
	case text.CharsetUTF16LE, text.CharsetUTF16BE:
		c, err := r.unit()
		if err != nil || !utf16.IsSurrogate(c) {
			return c, err
		}
		low, err := r.unit()
		return utf16.DecodeRune(c, low), err
	case text.CharsetLatin1:
		b, err := r.in.ReadByte()
		r.pos++
		return rune(b), err
	}
	c, n, err := r.in.ReadRune()
	r.pos += int64(n)
	return c, err
}

func (r *reader) unit() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return 0, io.EOF
	}
	r.pos += 2
	if r.t.charset == text.CharsetUTF16BE {
		b[0], b[1] = b[1], b[0]
	}
	return rune(b[0]) | rune(b[1])<<8, nil
}
