package text

import (
	"errors"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		name, bytes, want string
		format            Format
	}{
		{"empty", "", "", Format{Charset: CharsetUTF8}},
		{"utf-8", "дом\r\n", "дом\r\n", Format{Charset: CharsetUTF8}},
		{"HB-103 utf-8 with a mark", "\xEF\xBB\xBFtitle\nдом\n", "title\nдом\n", Format{BOM: true, Charset: CharsetUTF8}},
		{"HB-104 latin-1", "caf\xe9 = 1\n", "café = 1\n", Format{Charset: CharsetLatin1}},
		{"latin-1 after three bytes that look like a mark", "\xEF\xBB\xBF\xe9", "ï»¿é", Format{Charset: CharsetLatin1}},
		{"HB-105 utf-16le", "\xFF\xFEa\x00=\xD8\x00\xDE", "a😀", Format{BOM: true, Charset: CharsetUTF16LE}},
		{"utf-16be", "\xFE\xFF\x00a\xD8\x3D\xDE\x00", "a😀", Format{BOM: true, Charset: CharsetUTF16BE}},
		{"only a mark", "\xFF\xFE", "", Format{BOM: true, Charset: CharsetUTF16LE}},
		{"two marks", "\xEF\xBB\xBF\xEF\xBB\xBFa", "\uFEFFa", Format{BOM: true, Charset: CharsetUTF8}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, format, err := Decode([]byte(tc.bytes))
			if err != nil || got != tc.want || format != tc.format {
				t.Fatalf("%q, %+v, %v", got, format, err)
			}
			if back, err := Encode(got, format); err != nil || string(back) != tc.bytes {
				t.Errorf("encoded again %q, %v", back, err)
			}
		})
	}
	for name, bytes := range map[string]string{
		"a NUL": "a\x00b", "utf-16 of odd length": "\xFF\xFEa", "half a pair": "\xFF\xFE=\xD8a\x00",
		"the second half alone": "\xFF\xFE\x00\xDE", "a pair cut off": "\xFF\xFE=\xD8", "utf-32le": "\xFF\xFE\x00\x00a\x00\x00\x00",
		"a NUL in utf-16": "\xFE\xFF\x00\x00",
	} {
		if got, _, err := Decode([]byte(bytes)); !errors.Is(err, ErrBinary) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestEncodeRefusesWhatWouldReadBackDifferently(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		format     Format
		want       string
	}{
		{"not in latin-1", "a\nb €", Format{Charset: CharsetLatin1}, `line 2: '€' cannot be written`},
		{"latin-1 that would look like utf-8", "Ã©", Format{Charset: CharsetLatin1}, "read back as another text"},
		{"latin-1 that would look like utf-16", "ÿþab", Format{Charset: CharsetLatin1}, "read back as another text"},
		{"a mark in the text", "\uFEFFa", Format{}, "read back as another text"},
		{"a NUL", "a\x00", Format{}, `line 1: '\x00'`},
		{"invalid utf-8", "\xff", Format{}, "not valid Unicode"},
		{"a charset from elsewhere", "a", Format{Charset: "koi8-r"}, "not known"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := Encode(tc.text, tc.format)
			var e *CharsetError
			if !errors.As(err, &e) || b != nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

func TestEnding(t *testing.T) {
	for src, want := range map[string]struct {
		ending string
		mixed  bool
	}{
		"": {"", false}, "a": {"", false}, "a\nb\n": {LF, false}, "a\r\nb\r\n": {CRLF, false}, "a\rb": {CR, false},
		"a\r\nb\r\nc\n": {CRLF, true}, "a\nb\r\n": {LF, true}, "\r\r\n": {CRLF, true}, "\n\r": {LF, true},
	} {
		if ending, mixed := Ending(src); ending != want.ending || mixed != want.mixed {
			t.Errorf("%q: %q, %v", src, ending, mixed)
		}
	}
	for _, ending := range []string{LF, CRLF, CR} {
		if got, want := WithEnding("a\r\nb\rc\nd", ending), strings.Join([]string{"a", "b", "c", "d"}, ending); got != want {
			t.Errorf("with %q: %q", ending, got)
		}
	}
}

func FuzzDecodeEncode(f *testing.F) {
	for _, s := range []string{"", "a\r\n", "\xEF\xBB\xBFa", "\xFF\xFEa\x00", "\xFE\xFF\x00a", "caf\xe9", "\xFF\xFE=\xD8\x00\xDE", "\x00", "\xEF\xBB\xBF\xe9", "\x80\x9f"} {
		f.Add([]byte(s), "x\né")
	}
	f.Fuzz(func(t *testing.T, b []byte, other string) {
		s, format, err := Decode(b)
		if err != nil {
			return
		}
		back, err := Encode(s, format)
		if err != nil || string(back) != string(b) {
			t.Fatalf("%q is %q %+v and then %q, %v", b, s, format, back, err)
		}
		out, err := Encode(other, format)
		if err != nil {
			return
		}
		if got, _, err := Decode(out); err != nil || got != other {
			t.Fatalf("%q in %+v reads back as %q, %v", other, format, got, err)
		}
	})
}
