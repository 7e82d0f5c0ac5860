package fake

import (
	"bufio"
	"errors"
	"io"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadFrameTakesOnlyFrames(t *testing.T) {
	tests := []struct{ name, in, want, reason string }{
		{"one", "Content-Length: 2\r\n\r\n{}", "{}", ""},
		{"content type", "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", "{}", ""},
		{"bytes and not characters are counted", "Content-Length: 5\r\n\r\n\"ä€\"", "", "UTF-8"},
		{"utf-8", "Content-Length: 7\r\n\r\n\"ä€\"", "\"ä€\"", ""},
		{"a log line on stdout", "starting up\nContent-Length: 2\r\n\r\n{}", "", "without CR LF"},
		{"length too short", "Content-Length: 1\r\n\r\n{}", "", "not one JSON value"},
		{"length too long", "Content-Length: 3\r\n\r\n{}", "", "ends 2 bytes into a body of 3"},
		{"length missing", "Content-Type: x\r\n\r\n{}", "", "no Content-Length"},
		{"length no number", "Content-Length: two\r\n\r\n{}", "", "bad Content-Length"},
		{"unknown header", "X: y\r\n\r\n{}", "", "unknown header"},
		{"end inside a header", "Content-Le", "", "inside a header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadFrame(bufio.NewReader(strings.NewReader(tt.in)))
			var bad *FrameError
			switch {
			case tt.reason == "" && (err != nil || string(got) != tt.want):
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			case tt.reason != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Reason, tt.reason)):
				t.Fatalf("got %q, %v; want a FrameError with %q", got, err, tt.reason)
			}
		})
	}
	if _, err := ReadFrame(bufio.NewReader(strings.NewReader(""))); err != io.EOF {
		t.Fatalf("a clean end: %v, want io.EOF", err)
	}
}

func TestPositionsAreStrict(t *testing.T) {
	const text = "aé€😀z\r\nx\ry\n"
	tests := []struct {
		enc  string
		at   Position
		want int // -1 = refused
	}{
		{"utf-16", Position{0, 5}, 10},
		{"utf-16", Position{0, 4}, -1}, // inside the surrogate pair
		{"utf-8", Position{0, 10}, 10},
		{"utf-8", Position{0, 2}, -1},
		{"utf-32", Position{0, 4}, 10},
		{"utf-16", Position{0, 6}, 11},
		{"utf-16", Position{0, 7}, -1}, // the line ending is no place
		{"utf-16", Position{1, 1}, 14},
		{"utf-16", Position{2, 0}, 15},
		{"utf-16", Position{3, 0}, 17},
		{"utf-16", Position{4, 0}, -1},
		{"utf-16", Position{-1, 0}, -1},
	}
	for _, tt := range tests {
		got, err := offset(text, tt.at, tt.enc)
		if tt.want < 0 {
			if err == nil {
				t.Errorf("%s %v: got %d, want a refusal", tt.enc, tt.at, got)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s %v: got %d, %v; want %d", tt.enc, tt.at, got, err, tt.want)
			continue
		}
		if back := position(text, got, tt.enc); back != tt.at {
			t.Errorf("%s: position(%d) = %v, want %v", tt.enc, got, back, tt.at)
		}
	}
}

// FuzzChangesReplay holds that what didChange tells, applied one after the
// other, gives the buffer, in every encoding.
func FuzzChangesReplay(f *testing.F) {
	f.Add("aé€😀z\r\nx\ry\n", "😀\n", uint8(1), uint8(3), uint8(5), uint8(9))
	f.Add("", "x", uint8(0), uint8(0), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, text, insert string, a, b, c, d uint8) {
		if !utf8.ValidString(text) || !utf8.ValidString(insert) {
			t.Skip("no text")
		}
		cuts := []int{int(a), int(b), int(c), int(d)}
		for i := range cuts {
			cuts[i] = min(cuts[i], len(text))
			for cuts[i] > 0 && (!utf8.RuneStart(at0(text, cuts[i])) || at0(text, cuts[i]) == '\n' && text[cuts[i]-1] == '\r') {
				cuts[i]--
			}
		}
		sort.Ints(cuts)
		for _, enc := range []string{"utf-8", "utf-16", "utf-32"} {
			edits := []TextEdit{
				{Range{position(text, cuts[0], enc), position(text, cuts[1], enc)}, insert},
				{Range{position(text, cuts[2], enc), position(text, cuts[3], enc)}, insert + "x"},
			}
			spans, err := resolve(text, edits, enc)
			if err != nil {
				t.Fatalf("%s: %v", enc, err)
			}
			want := text[:cuts[0]] + insert + text[cuts[1]:cuts[2]] + insert + "x" + text[cuts[3]:]
			if got := splice(text, spans); got != want {
				t.Fatalf("%s: spliced %q, want %q", enc, got, want)
			}
			if joins := strings.Contains(want, "\r\n"); !joins && !replays(text, want, spans, enc) {
				t.Fatalf("%s: the changes do not replay to %q", enc, want)
			}
		}
	})
}

func at0(s string, i int) byte {
	if i == len(s) {
		return 'x'
	}
	return s[i]
}
