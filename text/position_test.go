package text

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

var encodings = []Encoding{UTF8, UTF16, UTF32}

func TestLineEndingsOfEveryKindEndALine(t *testing.T) {
	// HB-021
	x := NewIndex("a\r\nb\rc\nd")
	if x.Lines() != 4 {
		t.Fatalf("%d lines, want 4", x.Lines())
	}
	for i, want := range []string{"a", "b", "c", "d"} {
		if got := x.Line(i); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
		if off := x.Offset(Position{i, 0}, UTF16); x.Text()[off:off+1] != want {
			t.Errorf("line %d starts at %d", i, off)
		}
		if off := x.Offset(Position{i, 99}, UTF16); x.Text()[off-1:off] != want {
			t.Errorf("line %d ends at %d", i, off)
		}
	}
	for src, lines := range map[string]int{"": 1, "\n": 2, "\r": 2, "\r\n": 2, "\n\r": 3, "\r\r\n": 3, "a": 1} {
		if got := NewIndex(src).Lines(); got != lines {
			t.Errorf("%q has %d lines, want %d", src, got, lines)
		}
	}
	if got := x.Line(-1) + x.Line(4); got != "" {
		t.Errorf("lines out of range are %q", got)
	}
}

func TestOffsetsOfPositions(t *testing.T) {
	const line = "é😀x" // é: 2 bytes, 1 unit; 😀: 4 bytes, 2 units
	for _, tc := range []struct {
		name string
		enc  Encoding
		pos  Position
		want int
	}{
		{"before the pair", UTF16, Position{0, 1}, 2},
		{"HB-202 inside a surrogate pair", UTF16, Position{0, 2}, 2},
		{"after the pair", UTF16, Position{0, 3}, 6},
		{"utf-32 after the pair", UTF32, Position{0, 2}, 6},
		{"utf-8 inside a code point", UTF8, Position{0, 4}, 2},
		{"utf-8 inside the first code point", UTF8, Position{0, 1}, 0},
		{"utf-8 on a boundary", UTF8, Position{0, 6}, 6},
		{"HB-015 past the end of the line", UTF16, Position{0, 99}, 7},
		{"HB-015 past the end of the line, utf-8", UTF8, Position{0, 99}, 7},
		{"a number near the limit", UTF8, Position{0, int(^uint(0) >> 1)}, 7},
		{"HB-015 past the last line", UTF16, Position{50, 3}, 12},
		{"before the line", UTF16, Position{1, -3}, 8},
		{"before the text", UTF16, Position{-1, 3}, 0},
		{"not into the line ending", UTF16, Position{1, 9}, 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := NewIndex(line+"\nab\r\n").Offset(tc.pos, tc.enc); got != tc.want {
				t.Errorf("offset %d, want %d", got, tc.want)
			}
		})
	}
}

func TestPositionsOfOffsetsNeverNameAnInside(t *testing.T) {
	x := NewIndex("é😀\r\nb")
	for _, enc := range encodings {
		for off := -1; off <= len(x.Text())+1; off++ {
			p := x.Position(off, enc)
			back := x.Offset(p, enc)
			at := max(0, min(off, len(x.Text())))
			if back > at || at-back > 3 || x.boundary(at) && back != at {
				t.Errorf("%s: offset %d is %v, which is offset %d", enc, off, p, back)
			}
		}
	}
}

func TestEveryColumnOfAMultibyteLineIsSafe(t *testing.T) {
	// HB-202
	for _, line := range []string{"setLabel('Größe in μm', x)", "😀😀a", "e\u0301\u3000x", "\xff\xfea"} {
		x := NewIndex(line)
		for col := -1; col < len(line)+3; col++ {
			for _, enc := range encodings {
				off := x.Offset(Position{0, col}, enc)
				if !x.boundary(off) {
					t.Errorf("%q column %d %s gives offset %d, inside a character", line, col, enc, off)
				}
			}
		}
	}
}

// reference counts units with the standard library only.
func reference(line string, enc Encoding) int {
	switch enc {
	case UTF8:
		return len(line)
	case UTF16:
		return len(utf16.Encode([]rune(line)))
	}
	return utf8.RuneCountInString(line)
}

func FuzzPositionsRoundTrip(f *testing.F) {
	for _, s := range []string{"", "a\r\nb\rc\nd", "é😀x\n", "\r\r\n\n", "log(\"hey😀\", a, b)", "\xff\xf0\x9f", "\u2028a\u0085b"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, off int) {
		x := NewIndex(s)
		for i := range x.Lines() {
			start, end := x.Span(i)
			for _, enc := range encodings {
				if got := x.Position(end, enc); got != (Position{i, reference(s[start:end], enc)}) {
					t.Fatalf("%s: the end of line %d of %q is %v", enc, i, s, got)
				}
			}
		}
		for _, enc := range encodings {
			p := x.Position(off, enc)
			far := Position{p.Line + off%3 - 1, p.Character + off%5 - 2}
			for _, r := range []Range{{p, far}, {far, p}, {Position{}, far}} {
				if a, b := Find(s, r, enc); a != x.Offset(r.Start, enc) || b != x.Offset(r.End, enc) {
					t.Fatalf("%s: %v of %q is found at %d to %d", enc, r, s, a, b)
				}
			}
			back := x.Offset(p, enc)
			if again := x.Position(back, enc); again != p {
				t.Fatalf("%s: %v of %q goes to %d and to %v", enc, p, s, back, again)
			}
			if off >= 0 && off <= len(s) && x.boundary(off) && back != off {
				t.Fatalf("%s: offset %d of %q is %v, which is offset %d", enc, off, s, p, back)
			}
		}
	})
}
