package patch

import (
	"maps"
	"strings"
	"testing"
)

// Whatever is given as a patch, a refusal leaves every byte as it was (bench.apply
// looks), what is not named stays, and what is prepared as a change is one.
func FuzzAnyPatchIsAllOrNothing(f *testing.F) {
	f.Add(wrap("*** Update File: a", "@@", "-one", "+uno", "*** Delete File: b", "*** Add File: c/d", "+x"))
	f.Add(wrap("*** Update File: a", "*** Move to: c", "@@ one", "+x", "*** Update File: c", "*** Move to: a", "@@", "-two", "*** End of File"))
	f.Add(wrap("*** Add File: a", "+x", "*** Delete File: e", "*** Update File: nope", "@@", "-x"))
	f.Add("{\"input\":\"*** Begin Patch\\n*** Delete File: a\\n*** Add File: a/b\\n+x\\n\"}")
	f.Add(wrap("*** Update File: a", "*** Move to: a/b/c", "*** Update File: b", "*** Move to: a"))
	start := map[string]string{"a": "one\ntwo\r\nthree", "b": "\xef\xbb\xbfone\none\n", "e/f": "caf\xe9\n", "bin": "\x00", "kept": "kept\n"}
	f.Fuzz(func(t *testing.T, input string) {
		if strings.Contains(input, "kept") || strings.Contains(input, "..") || strings.ContainsAny(input, "~:\\") || strings.Contains(input, " /") || len(input) > 4000 {
			t.Skip() // paths elsewhere are told as outside; this is about what is inside
		}
		b := newBench(t, start)
		r, err := b.apply(input)
		if err != nil {
			return
		}
		got := contents(t, b.dir)
		if got["kept"] != start["kept"] {
			t.Fatalf("%q", got)
		}
		for name := range got {
			if strings.HasSuffix(name, ".tmp") && !strings.Contains(input, ".tmp") {
				t.Fatalf("%s stays", name)
			}
		}
		if len(r.Changed) > 0 == maps.Equal(got, start) {
			t.Fatalf("%d changes are told: %s; %q", len(r.Changed), r.Text, got)
		}
	})
}
