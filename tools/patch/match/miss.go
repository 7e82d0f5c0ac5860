package match

import (
	"fmt"
	"strings"
)

// Miss says why a hunk has no place.
type Miss struct {
	Hunk   int    // 1-based, 0 = several
	Line   int    // of the patch, 1-based
	Reason string // a clause, and below it lines of the file where that helps
	Places []int  // 1-based lines, where it is ambiguous
}

func (m *Miss) Error() string {
	if m.Hunk == 0 {
		return m.Reason
	}
	return fmt.Sprintf("hunk %d (line %d of the patch): %s", m.Hunk, m.Line, m.Reason)
}

const (
	shownPlaces = 20
	shownLines  = 10
	shownChars  = 200
)

// ambiguous is the error for a hunk that fits several places (line numbers from
// 0 where its lines would begin).
func (x *source) ambiguous(h *hunk, places []int) *Miss {
	m := &Miss{Hunk: h.n, Line: h.Line}
	var list []string
	for _, at := range places {
		m.Places = append(m.Places, at+h.first+1)
		if len(list) < shownPlaces {
			list = append(list, fmt.Sprint(at+h.first+1))
		}
	}
	if len(places) > shownPlaces {
		list = append(list, "…")
	}
	what := "its lines are"
	if len(h.old) == 0 {
		what = "its @@ line is"
	}
	m.Reason = fmt.Sprintf(
		"%s in the file at %d places (lines %s) and it does not say which is meant: give more lines of context, or an @@ line with the function or class that holds it",
		what, len(places), strings.Join(list, ", "))
	return m
}

// missing is the error for a hunk whose lines are nowhere.
func (x *source) missing(h *hunk) *Miss {
	m := &Miss{Hunk: h.n, Line: h.Line}
	switch {
	case len(h.raw) > 1:
		m.Reason = fmt.Sprintf("its lines are in the file %d times, but not below %q", len(h.raw), "@@ "+h.Anchors[len(h.Anchors)-1])
		for _, at := range h.raw {
			m.Places = append(m.Places, at+1)
		}
		return m
	case len(h.old) == 0:
		m.Reason = fmt.Sprintf("no line of the file is %q", h.lost)
		m.Reason += x.nearest([]string{h.lost})
		return m
	}
	m.Reason = "its lines are not in the file"
	if h.lost != "" {
		m.Reason += fmt.Sprintf(" (nor is its line %q)", "@@ "+h.lost)
	}
	m.Reason += x.nearest(h.old)
	return m
}

// nearest shows the lines that are most like want, and the first difference.
func (x *source) nearest(want []string) string {
	at := x.closest(want)
	if at < 0 {
		return ". Nothing in the file is like them; read it again"
	}
	var b strings.Builder
	for k, w := range want {
		if at+k >= x.count() {
			fmt.Fprintf(&b, ". The file ends at line %d, before the hunk's line %s", x.count(), quote(w))
			break
		}
		if got := x.line(at + k); Trailing.ofFile(got) != Trailing.ofPatch(w) {
			fmt.Fprintf(&b, ". The first difference is at line %d: the file has %s, the patch %s", at+k+1, quote(got), quote(w))
			break
		}
	}
	b.WriteString(". The closest lines are:\n")
	for i := max(0, at-1); i < min(x.count(), at+min(len(want), shownLines)+1); i++ {
		fmt.Fprintf(&b, "%d\t%s\n", i+1, clip(x.line(i)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quote(s string) string { return fmt.Sprintf("%q", clip(s)) }

func clip(s string) string {
	if len(s) <= shownChars {
		return s
	}
	return strings.ToValidUTF8(s[:shownChars], "") + "…"
}

// closest finds where most of the lines stand in their order, else the line
// that is most like the longest of them; -1 = nowhere.
func (x *source) closest(want []string) int {
	where := map[string][]int{} // lines of want by their folded text
	longest := 0
	for k, w := range want {
		f := Folded.ofPatch(w)
		if f != "" {
			where[f] = append(where[f], k)
		}
		if len(w) > len(want[longest]) {
			longest = k
		}
	}
	votes := map[int]int{}
	best, most := -1, 0
	for i := range x.count() {
		for _, k := range where[Folded.ofFile(x.line(i))] {
			if at := i - k; at >= 0 {
				if votes[at]++; votes[at] > most {
					best, most = at, votes[at]
				}
			}
		}
	}
	if best >= 0 {
		return best
	}
	at := x.similar(Folded.ofPatch(want[longest]))
	if at < 0 {
		return -1
	}
	return max(0, at-longest)
}

// alike is the least share of pairs of bytes that similar lines have in common.
const alike = 0.5

// similar finds the line that shares the most pairs of bytes with want.
func (x *source) similar(want string) int {
	want = want[:min(len(want), shownChars)]
	if len(want) < 3 {
		return -1
	}
	have := map[[2]byte]int{}
	for i := 1; i < len(want); i++ {
		have[[2]byte{want[i-1], want[i]}]++
	}
	best, score := -1, alike
	left := map[[2]byte]int{}
	for n := range min(x.count(), 20_000) {
		l := Folded.ofFile(x.line(n))
		l = l[:min(len(l), shownChars)]
		if len(l) < 2 || len(l) > 3*len(want) || len(want) > 3*len(l) {
			continue
		}
		clear(left)
		both := 0
		for i := 1; i < len(l); i++ {
			p := [2]byte{l[i-1], l[i]}
			if left[p] < have[p] {
				left[p]++
				both++
			}
		}
		if s := 2 * float64(both) / float64(len(l)+len(want)-2); s > score {
			best, score = n, s
		}
	}
	return best
}
