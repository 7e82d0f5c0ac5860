package text

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrBinary: the bytes are no text in any Charset, so that they could not be
// written back as they were.
var ErrBinary = errors.New("not text")

const (
	bomUTF8    = "\xEF\xBB\xBF"
	bomUTF16LE = "\xFF\xFE"
	bomUTF16BE = "\xFE\xFF"
)

// CharsetError says which character a file's charset cannot hold.
type CharsetError struct {
	Charset Charset
	Line    int // 0-based
	Rune    rune
	Reason  string // set when it is not about one character
}

func (e *CharsetError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("cannot be written as %s: %s", e.Charset, e.Reason)
	}
	return fmt.Sprintf("line %d: %q cannot be written in this file, whose charset is %s", e.Line+1, e.Rune, e.Charset)
}

// Decode turns a file's bytes into a string without BOM, and says what Encode
// needs to give the same bytes back: Encode(Decode(b)) == b whenever err is
// nil. UTF-16 is recognised by its BOM; bytes that are not UTF-8 and hold no
// NUL are Latin-1. Anything with a NUL, and UTF-16 with a broken surrogate or
// an odd length, is ErrBinary.
func Decode(b []byte) (string, Format, error) {
	s := string(b)
	switch {
	case strings.HasPrefix(s, bomUTF16LE):
		return decode16(b[2:], binary.LittleEndian, CharsetUTF16LE)
	case strings.HasPrefix(s, bomUTF16BE):
		return decode16(b[2:], binary.BigEndian, CharsetUTF16BE)
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		return "", Format{}, fmt.Errorf("%w: a NUL byte at offset %d", ErrBinary, i)
	}
	if utf8.ValidString(s) {
		rest, bom := strings.CutPrefix(s, bomUTF8)
		return rest, Format{BOM: bom, Charset: CharsetUTF8}, nil
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for _, c := range b {
		out.WriteRune(rune(c))
	}
	return out.String(), Format{Charset: CharsetLatin1}, nil
}

func decode16(b []byte, order binary.ByteOrder, cs Charset) (string, Format, error) {
	if len(b)%2 != 0 {
		return "", Format{}, fmt.Errorf("%w: a %s byte order mark, but an odd number of bytes", ErrBinary, cs)
	}
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			r2 := utf8.RuneError
			if i+4 <= len(b) {
				r2 = utf16.DecodeRune(r, rune(order.Uint16(b[i+2:])))
			}
			if r2 == utf8.RuneError {
				return "", Format{}, fmt.Errorf("%w: %s with half a surrogate pair at byte %d", ErrBinary, cs, i+2)
			}
			r, i = r2, i+2
		}
		if r == 0 {
			return "", Format{}, fmt.Errorf("%w: %s with a NUL character at byte %d", ErrBinary, cs, i+2)
		}
		out.WriteRune(r)
	}
	return out.String(), Format{BOM: true, Charset: cs}, nil
}

// Encode turns a text into a file's bytes. It is the inverse of Decode. A text
// that would not read back as itself (a character outside Latin-1, a NUL,
// invalid UTF-8) is a *CharsetError.
func Encode(s string, f Format) ([]byte, error) {
	cs := f.Charset
	if cs == "" {
		cs = CharsetUTF8
	}
	if !utf8.ValidString(s) {
		return nil, &CharsetError{Charset: cs, Reason: "the text is not valid Unicode"}
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		return nil, &CharsetError{Charset: cs, Line: strings.Count(s[:i], "\n"), Rune: 0}
	}
	var b []byte
	switch cs {
	case CharsetUTF8:
		if f.BOM {
			b = append(b, bomUTF8...)
		}
		b = append(b, s...)
	case CharsetLatin1:
		b = make([]byte, 0, len(s))
		for i, r := range s {
			if r > 0xFF {
				return nil, &CharsetError{Charset: cs, Line: strings.Count(s[:i], "\n"), Rune: r}
			}
			b = append(b, byte(r))
		}
	case CharsetUTF16LE:
		b = encode16(s, bomUTF16LE, binary.LittleEndian)
	case CharsetUTF16BE:
		b = encode16(s, bomUTF16BE, binary.BigEndian)
	default:
		return nil, &CharsetError{Charset: cs, Reason: "this charset is not known"}
	}
	if back, _, err := Decode(b); err != nil || back != s {
		return nil, &CharsetError{Charset: cs, Reason: "the bytes would be read back as another text"}
	}
	return b, nil
}

func encode16(s, bom string, order binary.AppendByteOrder) []byte {
	b := append(make([]byte, 0, 2+2*len(s)), bom...)
	for _, r := range s {
		if r > 0xFFFF {
			hi, lo := utf16.EncodeRune(r)
			b = order.AppendUint16(order.AppendUint16(b, uint16(hi)), uint16(lo))
			continue
		}
		b = order.AppendUint16(b, uint16(r))
	}
	return b
}

// Line endings.
const (
	LF   = "\n"
	CRLF = "\r\n"
	CR   = "\r"
)

// Ending is the line ending that most lines of s have, "" when s has none; of
// two that are equally common LF goes before CRLF before CR. mixed tells
// whether there are others.
func Ending(s string) (ending string, mixed bool) {
	crlf := strings.Count(s, CRLF)
	lf := strings.Count(s, LF) - crlf
	cr := strings.Count(s, CR) - crlf
	kinds, most := 0, 0
	for _, k := range []struct {
		ending string
		n      int
	}{{LF, lf}, {CRLF, crlf}, {CR, cr}} {
		if k.n > 0 {
			kinds++
		}
		if k.n > most {
			ending, most = k.ending, k.n
		}
	}
	return ending, kinds > 1
}

// WithEnding gives s with every line ending (LF, CRLF or CR) turned to ending.
func WithEnding(s, ending string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, CRLF, LF), CR, LF)
	if ending == LF || ending == "" {
		return s
	}
	return strings.ReplaceAll(s, LF, ending)
}
