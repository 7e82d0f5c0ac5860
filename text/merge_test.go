package text

import (
	"slices"
	"testing"
)

func TestMerge3KeepsBothOrTellsWhere(t *testing.T) {
	for _, tc := range []struct {
		name, base, a, b, want string
		inB                    []string
	}{
		{"different lines", "1\n2\n3\n", "A\n2\n3\n", "1\n2\nB\n", "A\n2\nB\n", nil},
		{"neighbouring lines", "1\n2\n3\n", "A\n2\n3\n", "1\nB\n3\n", "A\nB\n3\n", nil},
		{"the same change", "1\n2\n", "1\nX\n", "0\n1\nX\n", "0\n1\nX\n", nil},
		{"one line in two ways", "1\n2\n3\n", "1\nA\n3\n", "1\nB\n3\n", "1\nB\n3\n", []string{"B\n"}},
		{"typed within what was replaced", "1\n2\n3\n4\n", "1\nX\n4\n", "1\n2\nB\n3\n4\n", "1\n2\nB\n3\n4\n", []string{"2\nB\n3\n"}},
		{"typed within what was deleted", "1\n2\n3\n4\n", "1\n4\n", "1\n2\nB\n3\n4\n", "1\n2\nB\n3\n4\n", []string{"2\nB\n3\n"}},
		{"two insertions at one place", "1\n2\n", "1\nA\n2\n", "1\nB\n2\n", "1\nA\nB\n2\n", nil},
		{"lines that would run together", "1\n", "1\nA", "1\nB\n", "1\nB\n", []string{"B\n"}},
		{"the last line ending gone", "1\n2\n", "1\n2", "1\n2\n3\n", "1\n2\n3\n", []string{"2\n3\n"}},
		{"only some of them meet", "1\n2\n3\n", "A\n2\nA\n", "1\n2\nB\n", "A\n2\nB\n", []string{"B\n"}},
		{"CRLF", "1\r\n2\r\n3\r\n", "A\r\n2\r\n3\r\n", "1\r\n2\r\nB\r\n", "A\r\n2\r\nB\r\n", nil},
		{"no last line ending", "1\n2", "A\n2", "1\nB", "A\nB", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, conflicts := Merge3(tc.base, tc.a, tc.b)
			var inB []string
			for _, c := range conflicts {
				inB = append(inB, tc.b[c.InB.Start:c.InB.End])
			}
			if got != tc.want || !slices.Equal(inB, tc.inB) {
				t.Errorf("%q, conflicts %q; want %q, %q", got, inB, tc.want, tc.inB)
			}
			if m, ok := Merge(tc.base, tc.a, tc.b); ok != (tc.inB == nil) || ok && m != got {
				t.Errorf("Merge gives %q, %v", m, ok)
			}
		})
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("1\n2\n3\n4\n", "1\nX\n4\n", "1\n2\nB\n3\n4")
	f.Add("a\r\nb", "a\rb", "\nb")
	f.Add("", "x", "y\n")
	f.Fuzz(func(t *testing.T, base, a, b string) {
		_, conflicts := Merge3(base, a, b)
		for _, c := range conflicts {
			if c.InB.Start < 0 || c.InB.End < c.InB.Start || c.InB.End > len(b) {
				t.Fatalf("a conflict at %+v of %d bytes", c.InB, len(b))
			}
		}
		if m, _ := Merge3(base, a, base); m != a {
			t.Fatalf("onto the base: %q", m)
		}
		if m, _ := Merge3(base, base, b); m != b {
			t.Fatalf("nothing onto b: %q", m)
		}
		if m, ok := Merge(base, a, a); !ok || m != a {
			t.Fatalf("the same twice: %q, %v", m, ok)
		}
	})
}
