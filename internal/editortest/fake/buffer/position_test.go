package buffer

import (
	"sort"
	"strings"
	"testing"
	"unicode/utf8"
)

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
		got, err := Offset(text, tt.at, tt.enc)
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
		if back := PositionOf(text, got, tt.enc); back != tt.at {
			t.Errorf("%s: PositionOf(%d) = %v, want %v", tt.enc, got, back, tt.at)
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
				{Range{PositionOf(text, cuts[0], enc), PositionOf(text, cuts[1], enc)}, insert},
				{Range{PositionOf(text, cuts[2], enc), PositionOf(text, cuts[3], enc)}, insert + "x"},
			}
			spans, err := Resolve(text, edits, enc)
			if err != nil {
				t.Fatalf("%s: %v", enc, err)
			}
			want := text[:cuts[0]] + insert + text[cuts[1]:cuts[2]] + insert + "x" + text[cuts[3]:]
			if got := Splice(text, spans); got != want {
				t.Fatalf("%s: spliced %q, want %q", enc, got, want)
			}
			if joins := strings.Contains(want, "\r\n"); !joins && !Replays(text, want, spans, enc) {
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
