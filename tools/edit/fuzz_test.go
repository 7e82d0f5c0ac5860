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

// A tolerant edit changes nothing beside the lines of one place, and what it
// refuses it leaves; the endings of a file stay of one kind.
func FuzzTolerantEditsStayAtTheirPlace(f *testing.F) {
	f.Add("f {\r\n\tone()\r\n}\r\n", "  one()", "  uno()\n  due()")
	f.Add("a\nbegin\n x1\nend\nz", "begin\n x2\nend", "begin\n y\nend")
	f.Add("1\tx\n", "1\tx", "2\ty")
	f.Fuzz(func(t *testing.T, source, old, fresh string) {
		m := replaceAll(source, []replacement{{Old: old, New: fresh}}, rules{name: "f"})
		if m.none != nil || m.done != "" {
			if m.after != source {
				t.Fatalf("refused and changed: %q", m.after)
			}
			return
		}
		if m.after == source || len(m.places) == 0 {
			t.Fatalf("%q for %q in %q changes nothing, and says it does", fresh, old, source)
		}
		if old == "" {
			return
		}
		u, v := unify(source).text, unify(m.after).text
		want := strings.Count(unify(old).text, "\n") + 1
		from, to := 0, 0
		a, b := strings.SplitAfter(u, "\n"), strings.SplitAfter(v, "\n")
		for from < len(a) && from < len(b) && a[from] == b[from] {
			from++
		}
		for to < len(a)-from && to < len(b)-from && a[len(a)-1-to] == b[len(b)-1-to] {
			to++
		}
		if touched := len(a) - from - to; touched > max(want+3, 2*want)+1 {
			t.Fatalf("%q for %q in %q changed %d lines", fresh, old, source, touched)
		}
		if strings.Contains(source, "\r\n") && !strings.Contains(strings.ReplaceAll(source, "\r\n", ""), "\n") && !strings.Contains(strings.ReplaceAll(source, "\r\n", ""), "\r") {
			if rest := strings.ReplaceAll(m.after, "\r\n", ""); strings.ContainsAny(rest, "\r\n") {
				t.Fatalf("%q for %q in %q mixed the endings: %q", fresh, old, source, m.after)
			}
		}
	})
}
