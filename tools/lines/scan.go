package lines

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"companion/text"
)

// HashMax is the size in bytes up to which Text.Hash is computed: what the
// workspace takes as one text (workspace.Options.MaxFile).
const HashMax = 64 << 20

// stride is the size of a block in bytes.
const stride = 64 << 10

// errNotUTF8: the scan is to be made again for bytes that are Latin-1.
var errNotUTF8 = errors.New("not UTF-8")

// effort is how much of a text is looked at.
type effort struct {
	block  int   // bytes, see layout
	enough int64 // bytes after which the scan ends, once it has found …
	need   int   // … so many whole lines
}

// scan looks at a text once. charset says how to take the bytes; "" = as
// text.Decode would. A text that cannot be one is a text.ErrBinary.
func scan(ctx context.Context, at io.ReaderAt, size int64, charset text.Charset, e effort) (*layout, error) {
	l := &layout{size: size, charset: charset, block: e.block}
	if charset == "" {
		var head [3]byte
		n, _ := at.ReadAt(head[:min(size, 3)], 0)
		switch h := head[:n]; {
		case bytes.HasPrefix(h, []byte("\xFF\xFE")):
			l.charset, l.start = text.CharsetUTF16LE, 2
		case bytes.HasPrefix(h, []byte("\xFE\xFF")):
			l.charset, l.start = text.CharsetUTF16BE, 2
		case bytes.HasPrefix(h, []byte("\xEF\xBB\xBF")):
			l.charset, l.start = text.CharsetUTF8, 3
		default:
			l.charset = text.CharsetUTF8
		}
	}
	s := scanner{layout: l, effort: e}
	if charset == "" && size <= HashMax {
		s.sum = sha256.New()
	}
	err := s.run(ctx, at)
	if errors.Is(err, errNotUTF8) && charset == "" {
		l = &layout{size: size, charset: text.CharsetLatin1, block: e.block}
		sum := s.sum
		if sum != nil {
			sum.Reset()
		}
		s = scanner{layout: l, effort: e, sum: sum}
		err = s.run(ctx, at)
	}
	if err != nil {
		return nil, err
	}
	if s.sum != nil {
		l.hash = "sha256:" + hex.EncodeToString(s.sum.Sum(nil))
	}
	return l, nil
}

// scanner is one pass over a text.
type scanner struct {
	*layout
	effort effort
	sum    hash.Hash // nil = none
	cr     bool      // the last byte or unit was \r, whose line ending may go on
	high   rune      // the first half of a surrogate pair
	begun  int       // lines that began so far, but for the first
	last   int64     // where the last one began
	marked bool      // this block has its mark
	out    []byte    // of transcoding
}

func (s *scanner) run(ctx context.Context, at io.ReaderAt) error {
	s.marks, s.last = []mark{{0, s.start}}, s.start
	buf := make([]byte, s.block+utf8.UTFMax)
	kept := 0 // bytes of a character that goes on in the next block
	for pos := s.start; pos < s.size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := at.ReadAt(buf[kept:kept+int(min(int64(s.block), s.size-pos))], pos)
		if n == 0 && err != nil && err != io.EOF {
			return err
		}
		if n == 0 { // it became shorter
			s.size = pos
			break
		}
		block, next := buf[kept:kept+n], pos+int64(n)
		s.marked = false
		switch s.charset {
		case text.CharsetUTF16LE, text.CharsetUTF16BE:
			err = s.wide(block, pos)
		case text.CharsetLatin1:
			err = s.narrow(block, pos)
			s.latin(block)
		default:
			if err = s.narrow(block, pos); err == nil {
				kept, err = s.valid(buf[:kept+n])
			}
		}
		if err != nil {
			return err
		}
		if pos = next; pos < s.size && pos-s.start >= s.effort.enough && s.begun >= s.effort.need {
			s.size, s.lines, s.more = s.last, s.begun, true // without the last line, which goes on
			return nil
		}
	}
	switch {
	case kept > 0:
		return errNotUTF8 // it ends within a character
	case s.high != 0:
		return fmt.Errorf("%w: UTF-16 with half a surrogate pair at its end", text.ErrBinary)
	case s.cr:
		s.begin(s.size)
	}
	if s.lines = s.begun + 1; s.last == s.size {
		s.lines--
	}
	return nil
}

// begin notes that a line begins at a byte.
func (s *scanner) begin(at int64) {
	s.begun++
	s.last = at
	if !s.marked {
		s.marked = true
		s.marks = append(s.marks, mark{s.begun, at})
	}
}

// narrow finds the line endings of a block of one-byte units.
func (s *scanner) narrow(block []byte, pos int64) error {
	if i := bytes.IndexByte(block, 0); i >= 0 {
		return fmt.Errorf("%w: a NUL byte at offset %d", text.ErrBinary, pos+int64(i))
	}
	if !s.cr && bytes.IndexByte(block, '\r') < 0 {
		n := bytes.Count(block, []byte{'\n'})
		if n == 0 {
			return nil
		}
		s.begin(pos + int64(bytes.IndexByte(block, '\n')) + 1)
		s.begun += n - 1
		s.last = pos + int64(bytes.LastIndexByte(block, '\n')) + 1
		return nil
	}
	for i, c := range block {
		if s.cr && c != '\n' {
			s.begin(pos + int64(i))
		}
		if s.cr = c == '\r'; c == '\n' {
			s.begin(pos + int64(i) + 1)
		}
	}
	return nil
}

// valid checks that a block is UTF-8, and sums it. What a character at its end
// lacks is kept at the front of buf.
func (s *scanner) valid(buf []byte) (kept int, err error) {
	whole := len(buf) - unfinished(buf)
	if !utf8.Valid(buf[:whole]) {
		return 0, errNotUTF8
	}
	if s.sum != nil {
		_, _ = s.sum.Write(buf[:whole])
	}
	return copy(buf, buf[whole:]), nil
}

// unfinished is how many bytes at the end of b begin a character that goes on
// behind it.
func unfinished(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			break
		}
	}
	return 0
}

// latin sums a block as UTF-8.
func (s *scanner) latin(block []byte) {
	if s.sum == nil {
		return
	}
	s.out = s.out[:0]
	for _, c := range block {
		s.out = utf8.AppendRune(s.out, rune(c))
	}
	_, _ = s.sum.Write(s.out)
}

// wide finds the line endings of a block of UTF-16, checks and sums it.
func (s *scanner) wide(block []byte, pos int64) error {
	if len(block)%2 != 0 {
		return fmt.Errorf("%w: UTF-16 of an odd number of bytes", text.ErrBinary)
	}
	lo, hi := 0, 1
	if s.charset == text.CharsetUTF16BE {
		lo, hi = 1, 0
	}
	s.out = s.out[:0]
	for i := 0; i < len(block); i += 2 {
		c := rune(block[i+lo]) | rune(block[i+hi])<<8
		if s.high != 0 {
			c, s.high = utf16.DecodeRune(s.high, c), 0
			if c == utf8.RuneError {
				return fmt.Errorf("%w: UTF-16 with half a surrogate pair before byte %d", text.ErrBinary, pos+int64(i))
			}
		} else if utf16.IsSurrogate(c) {
			s.high = c
			continue
		}
		if c == 0 {
			return fmt.Errorf("%w: UTF-16 with a NUL character at byte %d", text.ErrBinary, pos+int64(i))
		}
		if s.cr && c != '\n' {
			s.begin(pos + int64(i))
		}
		if s.cr = c == '\r'; c == '\n' {
			s.begin(pos + int64(i) + 2)
		}
		if s.sum != nil {
			s.out = utf8.AppendRune(s.out, c)
		}
	}
	if s.sum != nil {
		_, _ = s.sum.Write(s.out)
	}
	return nil
}
