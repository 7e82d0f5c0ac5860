package edit

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Bounds of the search for near lines: it is a courtesy and must not cost.
const (
	closestLines = 20_000
	closestChars = 200
	// closestAlike is the least likeness of a line worth showing.
	closestAlike = 0.5
)

// closest shows the lines of s that are most like old, with their numbers, and
// says what kind of difference it is where that is plain. It begins with a
// space; "" when nothing is near.
func closest(s, old string) string {
	lines, want := strings.Split(s, "\n"), strings.Split(strings.TrimRight(old, "\n"), "\n")
	if regexp.MustCompile(`^\s*\d+(\t|: )`).MatchString(old) {
		return " old seems to hold line numbers from read: leave number and tab out."
	}
	if at := looseMatch(lines, want); at >= 0 {
		return fmt.Sprintf(" Lines %d to %d differ from it in whitespace only:\n%s", at+1, at+len(want), window(lines, at, len(want)))
	}
	key := 0
	for key < len(want)-1 && len(strings.TrimSpace(want[key])) < 3 {
		key++
	}
	best, score := -1, closestAlike
	for i, l := range lines[:min(len(lines), closestLines)] {
		if a := alike(strings.TrimSpace(l), strings.TrimSpace(want[key])); a > score {
			best, score = i, a
		}
	}
	if best < 0 {
		return " Nothing in it is like it; read the file again."
	}
	return fmt.Sprintf(" The closest lines are:\n%s", window(lines, max(0, best-key), len(want)))
}

// looseMatch finds want among lines when the amount of whitespace does not
// count; -1 when it is not there once.
func looseMatch(lines, want []string) int {
	found := -1
	squeezed := make([]string, len(want))
	for i, w := range want {
		squeezed[i] = squeeze(w)
	}
	for i := 0; i+len(want) <= len(lines); i++ {
		match := true
		for j := range squeezed {
			if squeeze(lines[i+j]) != squeezed[j] {
				match = false
				break
			}
		}
		if match {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// alike is 1 for equal strings and 0 for strings that share nothing.
func alike(a, b string) float64 {
	if a == "" || b == "" || len(a) > 3*len(b) || len(b) > 3*len(a) {
		return 0
	}
	a, b = a[:min(len(a), closestChars)], b[:min(len(b), closestChars)]
	return 1 - float64(levenshtein.ComputeDistance(a, b))/float64(max(len(a), len(b)))
}

// window renders n lines from at (0-based), one more on each side, 12 at most.
func window(lines []string, at, n int) string {
	var b strings.Builder
	for i := max(0, at-1); i < min(len(lines), at+min(n, 10)+1); i++ {
		l := lines[i]
		if len(l) > closestChars {
			l = strings.ToValidUTF8(l[:closestChars], "") + "…"
		}
		fmt.Fprintf(&b, "%d\t%s\n", i+1, l)
	}
	return b.String()
}
