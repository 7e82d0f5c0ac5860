package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnivade/levenshtein"
)

// slow finds as Find does, by trying every block of lines with the words of the
// passes' documentation and no shortcut.
func slow(s, old string, o Options) (Pass, []Hit) {
	if old == "" {
		return None, nil
	}
	if hits := slowExact(s, old, o.All); len(hits) > 0 {
		return Exact, hits
	}
	if o.ExactOnly || !strings.ContainsFunc(old, isWord) {
		return None, nil
	}
	for p := LineTrimmed; p <= Context; p++ {
		if o.All && (p.Guesses() || p == TrimmedBoundary) || o.Indented && p == Indentation {
			continue
		}
		var kept []Hit
		for _, h := range slowPass(p, s, old, o) {
			if !tooLarge(s[h.Start:h.End], old) {
				kept = append(kept, h)
			}
		}
		if len(kept) > 0 {
			return p, kept
		}
	}
	return None, nil
}

func slowExact(s, old string, all bool) (hits []Hit) {
	for i := 0; i+len(old) <= len(s); i++ {
		if s[i:i+len(old)] == old {
			hits = append(hits, Hit{Start: i, End: i + len(old)})
			if all {
				i += len(old) - 1
			}
		}
	}
	return hits
}

func slowPass(p Pass, s, old string, o Options) []Hit {
	switch p {
	case LineTrimmed:
		return blocks(s, old, 0, true, func(w, l []string) bool { return each(w, l, strings.TrimSpace) && shaped(w, l) })
	case Whitespace:
		return blocks(s, old, 0, true, func(w, l []string) bool { return each(w, l, squeeze) && shaped(w, l) })
	case Indentation:
		return blocks(s, old, 0, true, func(w, l []string) bool { return each(w, l, squeeze) })
	case Escapes:
		read := strings.ReplaceAll(escaped.Replace(old), "\r\n", "\n")
		if read == old || !strings.ContainsFunc(read, isWord) {
			return nil
		}
		if hits := slowExact(s, read, o.All); len(hits) > 0 {
			return hits
		}
		return slowPass(LineTrimmed, s, read, o)
	case TrimmedBoundary:
		cut := strings.TrimSpace(old)
		before, after, _ := strings.Cut(old, cut)
		if cut == old {
			return nil
		}
		var hits []Hit
		for _, h := range slowExact(s, cut, false) {
			up := s[:h.Start]
			down := s[h.End:] + "\n"
			if (before == "" || blank(up[strings.LastIndex(up, "\n")+1:])) && (after == "" || blank(down[:strings.Index(down, "\n")])) {
				hits = append(hits, h)
			}
		}
		return hits
	case Context:
		return blocks(s, old, 0, false, func(w, l []string) bool {
			right, all := 0, 0
			for i := 1; i+1 < len(w); i++ {
				a, b := strings.TrimSpace(w[i]), strings.TrimSpace(l[i])
				if a != "" || b != "" {
					all++
				}
				if a == b && a != "" {
					right++
				}
			}
			return framed(w, l) && all > 0 && 2*right >= all && !each(w, l, squeeze) && (!o.Indented || shaped(w, l))
		})
	}
	return nil // BlockAnchor chooses among blocks that overlap: see below
}

func each(a, b []string, norm func(string) string) bool {
	for i := range a {
		if norm(a[i]) != norm(b[i]) {
			return false
		}
	}
	return true
}

func framed(w, l []string) bool {
	n, m := len(w)-1, len(l)-1
	return n >= 2 && squeeze(w[0]) != "" && squeeze(w[n]) != "" && squeeze(w[0]) == squeeze(l[0]) && squeeze(w[n]) == squeeze(l[m]) &&
		strings.ContainsFunc(w[0]+w[n], isWord)
}

func blocks(s, old string, slack int, apart bool, ok func(want, lines []string) bool) (hits []Hit) {
	body, closed := strings.CutSuffix(old, "\n")
	want, lines := strings.Split(body, "\n"), strings.Split(s, "\n")
	for i := 0; i+len(want) <= len(lines); i++ {
		if !ok(want, lines[i:i+len(want)]) {
			continue
		}
		start := len(strings.Join(lines[:i], "\n"))
		if i > 0 {
			start++
		}
		end := start + len(strings.Join(lines[i:i+len(want)], "\n"))
		if closed && end < len(s) {
			end++
		}
		hits = append(hits, Hit{Start: start, End: end})
		if apart {
			i += len(want) - 1
		}
	}
	return hits
}

func spans(hits []Hit) (out string) {
	for _, h := range hits {
		out += fmt.Sprintf("[%d %d)", h.Start, h.End)
	}
	return out
}

func FuzzFindIsTheSlowFinder(f *testing.F) {
	f.Add("a {\n\tb()\n}\n", "a {\n  b()\n}", false, false)
	f.Add("start\n a1\n b2\n c3\nstop\n", "start\n a1\n b2\n zzzz\nstop", false, true)
	f.Add("x\nfoo(1)\n", "\nfoo(1)\n\n", true, false)
	f.Add("say(\"a\")\n\tb", `say(\"a\")\n  b`, false, false)
	f.Add("f {\n aaaa1\n}\nf {\n aaaa2\n}", "f {\n aaaa3\n}", false, false)
	f.Fuzz(func(t *testing.T, s, old string, all, indented bool) {
		if len(s) > 400 || len(old) > 200 {
			t.Skip()
		}
		s, old = strings.ReplaceAll(s, "\r", ""), strings.ReplaceAll(old, "\r", "")
		o := Options{All: all, Indented: indented}
		pass, hits := Find(s, old, o)
		for i, h := range hits {
			if h.Start < 0 || h.End > len(s) || h.Start > h.End || i > 0 && h.Start < hits[i-1].Start || all && i > 0 && h.Start < hits[i-1].End {
				t.Fatalf("%q in %q: %s", old, s, spans(hits))
			}
			if tooLarge(s[h.Start:h.End], old) && pass != Exact {
				t.Fatalf("%q in %q: the span %q is far larger", old, s, s[h.Start:h.End])
			}
			// What is not changed stays, whatever the place has instead.
			if got := h.Fit(s, old); pass != Escapes && pass != TrimmedBoundary && got != s[h.Start:h.End] {
				t.Fatalf("%q in %q by %v: put back %q for %q", old, s, pass, got, s[h.Start:h.End])
			}
		}
		if pass == BlockAnchor {
			anchored(t, s, old, hits)
			return
		}
		if (pass == None || pass > BlockAnchor) && !all && strings.ContainsFunc(old, isWord) {
			missed(t, s, old, o)
		}
		want, there := slow(s, old, o)
		if pass != want || spans(hits) != spans(there) {
			t.Fatalf("%q in %q (%+v): %v %s, want %v %s", old, s, o, pass, spans(hits), want, spans(there))
		}
	})
}

func FuzzOccurrencesAreThoseOfEachPlace(f *testing.F) {
	f.Add([]byte("aabaabaaab"), []byte("aabaa"))
	f.Add([]byte("aaaa"), []byte("aa"))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		if len(y) == 0 {
			t.Skip()
		}
		a, b := make([]int, len(x)), make([]int, len(y))
		for i := range x {
			a[i] = int(x[i] & 3)
		}
		for i := range y {
			b[i] = int(y[i] & 3)
		}
		for i, got := range occurrences(a, b) {
			if want := i+len(b) <= len(a) && slices.Equal(a[i:i+len(b)], b); got != want {
				t.Fatalf("%v in %v at %d: %v", b, a, i, got)
			}
		}
	})
}

// missed fails when there is a block that BlockAnchor takes.
func missed(t *testing.T, s, old string, o Options) {
	want, lines := strings.Split(strings.TrimSuffix(old, "\n"), "\n"), strings.Split(s, "\n")
	slack := max(1, len(want)/4)
	for i := range lines {
		for n := max(anchorLines, len(want)-slack); n <= len(want)+slack && i+n <= len(lines); n++ {
			block := lines[i : i+n]
			alike := framed(want, block) && likeness(want[1:len(want)-1], block[1:n-1]) >= anchorAlike
			if !alike || n == len(want) && (each(want, block, squeeze) || o.Indented && !shaped(want, block)) || tooLarge(strings.Join(block, "\n"), old) {
				continue
			}
			t.Fatalf("%q in %q: the block at line %d is not taken", old, s, i+1)
		}
	}
}

// anchored holds blocks to what the pass promises.
func anchored(t *testing.T, s, old string, hits []Hit) {
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	for _, h := range hits {
		lines := strings.Split(strings.TrimSuffix(s[h.Start:h.End], "\n"), "\n")
		if d := len(lines) - len(want); !framed(want, lines) || d > max(1, len(want)/4) || -d > max(1, len(want)/4) {
			t.Fatalf("%q is no block of %q", lines, want)
		}
		if len(lines) != len(want) {
			continue
		}
		sum, n := 0.0, 0
		for i := 1; i+1 < len(want); i++ {
			a, b := squeeze(want[i]), squeeze(lines[i])
			if a == "" && b == "" {
				continue
			}
			n++
			sum += 1 - float64(levenshtein.ComputeDistance(latin(a), latin(b)))/float64(max(len(a), len(b)))
		}
		if n > 0 && sum/float64(n) < anchorAlike-1e-9 {
			t.Fatalf("%q is only %v like %q", lines, sum/float64(n), want)
		}
	}
}
