package workspace

import (
	"strings"
	"testing"

	"companion/text"
)

// BenchmarkDidChange is one key stroke in a buffer of 1 MB.
func BenchmarkDidChange(b *testing.B) {
	w, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	w.DidOpen("untitled:1", "fake", 1, strings.Repeat("some line of a program {}\n", 40_000))
	v := int32(1)
	for b.Loop() {
		v++
		if err := w.DidChange("untitled:1", v, []ContentChange{at(20_000, 4, 20_000, 4, "x")}, text.UTF16); err != nil {
			b.Fatal(err)
		}
	}
}
