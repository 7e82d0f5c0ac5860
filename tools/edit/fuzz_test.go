package edit

import (
	"strings"
	"testing"
)

// An edit that is made is, endings aside, the replacement that package strings
// makes, and it leaves the bytes before and after the touched lines alone.
func FuzzEditsAreReplacements(f *testing.F) {
	f.Add("a\r\nb\nc\rd\r\n", "b\nc", "x\ny\nz", false)
	f.Add("aXbXc", "X", "$&\r\n", true)
	f.Add("a\r\n\r\nb", "\n", "", true)
	f.Fuzz(func(t *testing.T, source, old, fresh string, all bool) {
		m := replaceAll(source, []replacement{{old, fresh, all}}, rules{name: "f", exact: "Only so."})
		after, places, none, done := m.after, m.places, m.none, m.done
		if none != nil || done != "" {
			if after != source {
				t.Fatalf("refused and changed: %q", after)
			}
			return
		}
		if len(places) == 0 {
			t.Fatal("changed, and no place is told")
		}
		if old == "" {
			if after != fresh {
				t.Fatalf("got %q", after)
			}
			return
		}
		u, o := unify(source).text, unify(old).text
		want := strings.Replace(u, o, unify(fresh).text, map[bool]int{true: -1, false: 1}[all])
		if got := unify(after).text; got != unify(want).text {
			t.Fatalf("%q: %q for %q gave %q, want %q", source, fresh, old, got, want)
		}
		first := unify(source).offset(strings.Index(u, o))
		if !strings.HasPrefix(after, source[:min(first, len(after))]) {
			t.Fatalf("%q became %q: bytes before the edit changed", source, after)
		}
		tail := source[unify(source).offset(strings.LastIndex(u, o)+len(o)):]
		if !all && !strings.HasSuffix(after, tail) {
			t.Fatalf("%q became %q: bytes after the edit changed", source, after)
		}
	})
}
