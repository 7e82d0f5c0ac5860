package text

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestApplyTakesAllEditsAtOnce(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		edits     []Edit
		want      string
	}{
		{"in any order", "abc", []Edit{{2, 3, "C"}, {0, 1, "A"}}, "AbC"},
		{"two insertions keep their order", "ab", []Edit{{1, 1, "x"}, {1, 1, "y"}}, "axyb"},
		{"an insertion before a replacement", "ab", []Edit{{1, 2, "B"}, {1, 1, "x"}}, "axB"},
		{"touching", "ab", []Edit{{0, 1, ""}, {1, 2, ""}}, ""},
		{"none", "ab", nil, "ab"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Apply(tc.src, tc.edits)
			if err != nil || got != tc.want {
				t.Errorf("%q, %v; want %q", got, err, tc.want)
			}
			if back, err := Apply(got, Invert(tc.src, tc.edits)); err != nil || back != tc.src {
				t.Errorf("inverse gives %q, %v", back, err)
			}
		})
	}
}

func TestApplyRefusesTheWholeSet(t *testing.T) {
	// HB-016
	for _, tc := range []struct {
		name  string
		edits []Edit
		index int
	}{
		{"reversed", []Edit{{0, 1, "x"}, {3, 1, "y"}}, 1},
		{"overlap", []Edit{{0, 3, "x"}, {2, 4, "y"}}, 1},
		{"an insertion inside a replacement", []Edit{{0, 3, "x"}, {2, 2, "y"}}, 1},
		{"past the end", []Edit{{0, 9, "x"}}, 0},
		{"before the start", []Edit{{-1, 0, "x"}}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Apply("abcde", tc.edits)
			var e *EditError
			if !errors.As(err, &e) || e.Index != tc.index || got != "" {
				t.Errorf("%q, %v", got, err)
			}
			if inv := Invert("abcde", tc.edits); inv != nil {
				t.Errorf("inverse of a refused set is %v", inv)
			}
		})
	}
	_, err := ByOffset(NewIndex("a\nb\nc\n"), []RangeEdit{{Range{Position{2, 0}, Position{1, 0}}, "x"}}, UTF16)
	if err == nil || !strings.Contains(err.Error(), "3:1-2:1") {
		t.Errorf("a reversed range: %v", err)
	}
}

func TestAnEditAfterAnEmojiKeepsItsNeighbours(t *testing.T) {
	// HB-023
	const src = "log(\"hey😀\", a, b)"
	edits, err := ByOffset(NewIndex(src), []RangeEdit{{Range{Position{0, 12}, Position{0, 13}}, "\n    "}}, UTF16)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Apply(src, edits); err != nil || got != "log(\"hey😀\",\n    a, b)" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDiffIsOfWholeLinesAndSmall(t *testing.T) {
	for _, tc := range []struct {
		name, before, after string
		want                []Edit
	}{
		{"one line", "a\nb\nc\n", "a\nB\nc\n", []Edit{{2, 4, "B\n"}}},
		{"crlf", "a\r\nb\r\nc", "a\r\nB\r\nc", []Edit{{3, 6, "B\r\n"}}},
		{"old mac", "a\rb\rc", "a\rB\rc", []Edit{{2, 4, "B\r"}}},
		{"a last line without ending", "a\nb", "a\nb\nc", []Edit{{2, 3, "b\nc"}}},
		{"only the ending", "a\r\nb\r\n", "a\nb\r\n", []Edit{{0, 3, "a\n"}}},
		{"insert", "a\nc\n", "a\nb\nc\n", []Edit{{2, 2, "b\n"}}},
		{"delete all", "a\nb\n", "", []Edit{{0, 4, ""}}},
		{"from nothing", "", "a\n", []Edit{{0, 0, "a\n"}}},
		{"two places", "a\nb\nc\nd\n", "A\nb\nc\nD\n", []Edit{{0, 2, "A\n"}, {6, 8, "D\n"}}},
		{"nothing", "a\n", "a\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Diff(tc.before, tc.after); !slices.Equal(got, tc.want) {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestEditsThatNoPositionCanNameKeepTheirEffect(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		edits     []Edit
	}{
		{"carriage returns out", "a\r\nb\r\n", []Edit{{1, 2, ""}, {4, 5, ""}}},
		{"line feeds out", "a\r\nb\r\n", []Edit{{2, 3, ""}, {5, 6, ""}}},
		{"each half by its own edit", "a\r\nb", []Edit{{1, 2, "x"}, {2, 3, "y"}}},
		{"between them", "a\r\nb", []Edit{{2, 2, "!"}}},
	} {
		t.Run(tc.name, func(t *testing.T) { roundTrip(t, tc.src, tc.edits) })
	}
}

// roundTrip sends edits through positions and back, in every encoding.
func roundTrip(t *testing.T, src string, edits []Edit) {
	t.Helper()
	want, err := Apply(src, edits)
	if err != nil {
		t.Fatal(err)
	}
	x := NewIndex(src)
	for _, enc := range encodings {
		back, err := ByOffset(x, ByRange(x, edits, enc), enc)
		if err != nil {
			t.Fatalf("%s: %v", enc, err)
		}
		if got, err := Apply(src, back); err != nil || got != want {
			t.Fatalf("%s: %+v on %q gives %q, %v; want %q", enc, edits, src, got, err, want)
		}
	}
}

func TestMergeJoinsChangesOfDifferentLines(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	if got, ok := Merge(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"); !ok || got != "A\nb\nc\nd\nE\n" {
		t.Errorf("%q, %v", got, ok)
	}
	if got, ok := Merge(base, "A\nb\nc\nd\ne\n", "B\nb\nc\nd\ne\n"); ok {
		t.Errorf("a conflict gives %q", got)
	}
	if got, ok := Merge(base, "A\n", base); !ok || got != "A\n" {
		t.Errorf("one side unchanged gives %q, %v", got, ok)
	}
	if got, ok := Merge(base, base, "B\n"); !ok || got != "B\n" {
		t.Errorf("the other side unchanged gives %q, %v", got, ok)
	}
}

func TestUnifiedShowsTheChange(t *testing.T) {
	got := Unified("a/x", "b/x", "1\n2\n3\n4\n", "1\n2\nthree\n4", 1)
	want := "--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n 2\n-3\n-4\n+three\n+4\n\\ No newline at end of file\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := Unified("a", "b", "x", "x", 3); got != "" {
		t.Errorf("no change is %q", got)
	}
}

func FuzzDiff(f *testing.F) {
	for _, p := range [][2]string{
		{"", ""},
		{"a\n", "a"},
		{"a\r\nb", "a\nb"},
		{"a\rb\r\n", "a\r\nb\r"},
		{"\r", "\r\n"},
		{"\n\r\n", "\r\n\n"},
		{"a\r", "a\r\n\r"},
		{"é😀\nx", "x\né\r😀"},
		{"1\n2\n3\n4\n5\n", "5\n4\n3\n2\n1"},
		{"\r\n\r\n\r\n", "\r\r\r"},
	} {
		f.Add(p[0], p[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		edits := Diff(before, after)
		got, err := Apply(before, edits)
		if err != nil || got != after {
			t.Fatalf("%q to %q by %+v gives %q, %v", before, after, edits, got, err)
		}
		x := NewIndex(before)
		for i, e := range edits {
			if i > 0 && edits[i-1].End >= e.Start {
				t.Fatalf("%+v touch or overlap", edits)
			}
			if !x.boundary(e.Start) || !x.boundary(e.End) {
				t.Fatalf("%+v on %q: a position cannot name a bound", e, before)
			}
		}
		roundTrip(t, before, edits)
		if back, err := Apply(after, Invert(before, edits)); err != nil || back != before {
			t.Fatalf("the inverse of %+v gives %q, %v; want %q", edits, back, err, before)
		}
		if m, ok := Merge(before, after, before); !ok || m != after {
			t.Fatalf("merge with nothing gives %q, %v", m, ok)
		}
	})
}

func FuzzEditsByRange(f *testing.F) {
	f.Add("a\r\nb\rc😀", 1, 2, "x", 3, 4, "\r")
	f.Add("a\r\nb", 1, 2, "x", 2, 3, "\n")
	f.Fuzz(func(t *testing.T, src string, s1, e1 int, n1 string, s2, e2 int, n2 string) {
		edits := []Edit{{s1, e1, n1}, {s2, e2, n2}}
		after, err := Apply(src, edits)
		if err != nil {
			return
		}
		if !utf8.ValidString(src) {
			return
		}
		roundTrip(t, src, edits)
		if back, err := Apply(after, Invert(src, edits)); err != nil || back != src {
			t.Fatalf("the inverse of %+v gives %q, %v; want %q", edits, back, err, src)
		}
	})
}
