package edit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"companion/text/match"
)

// Bounds of the search for near lines: it is a courtesy and must not cost.
const (
	closestLines = 20_000
	closestChars = 200
	// closestAlike is the least likeness of a line worth showing.
	closestAlike = 0.5
)

// closest shows the lines of s that are most like old, with their numbers, and
// the first difference. It begins with a space.
func closest(s, old string) string {
	lines, want := strings.Split(s, "\n"), strings.Split(strings.TrimRight(old, "\n"), "\n")
	if n := len(lines); n > 1 && lines[n-1] == "" && s != "\n" {
		lines = lines[:n-1] // the end of the last line begins none
	}
	if at := looseMatch(lines, want); at >= 0 {
		which := fmt.Sprintf("Lines %d to %d differ", at+1, at+len(want))
		if len(want) == 1 {
			which = fmt.Sprintf("Line %d differs", at+1)
		}
		return fmt.Sprintf(" %s from it in whitespace only:\n%s%s", which, window(lines, at, len(want)), firstDifference(lines, want, at))
	}
	if at, ok := inLine(lines, old); ok {
		return fmt.Sprintf(" Line %d has it with other whitespace, but as a part of the line, where that is not forgiven:\n%s", at+1, window(lines, at, 1))
	}
	key := 0
	for key < len(want)-1 && len(strings.TrimSpace(want[key])) < 3 {
		key++
	}
	best, score := -1, closestAlike
	for i, l := range lines[:min(len(lines), closestLines)] {
		if a := likeness(strings.TrimSpace(l), strings.TrimSpace(want[key])); a > score {
			best, score = i, a
		}
	}
	if best < 0 {
		return " Nothing in it is like it; read the file again. " + beginning(lines)
	}
	at := max(0, best-key)
	return fmt.Sprintf(" The closest lines are:\n%s%s", window(lines, at, len(want)), firstDifference(lines, want, at))
}

// beginning shows the first lines of a file that nothing else can be said of.
func beginning(lines []string) string {
	if len(lines) == 1 && lines[0] == "" {
		return "It is empty."
	}
	return "It begins:\n" + window(lines, 0, min(len(lines), 5))
}

// firstDifference says where old and the lines at a place part, with what cannot
// be seen made visible; "" when old's lines are all there.
func firstDifference(lines, want []string, at int) string {
	for i, w := range want {
		if at+i >= len(lines) {
			return fmt.Sprintf("First difference: old goes on after the end of the file with %s.", visible(w))
		}
		l := lines[at+i]
		if l == w {
			continue
		}
		n := 0
		for n < len(l) && n < len(w) && l[n] == w[n] {
			n++
		}
		for n > 0 && (n < len(l) && !utf8.RuneStart(l[n]) || n < len(w) && !utf8.RuneStart(w[n])) {
			n--
		}
		return fmt.Sprintf("First difference: line %d, character %d: the file has %s, old has %s.",
			at+i+1, utf8.RuneCountInString(l[:n])+1, rest(l[n:]), rest(w[n:]))
	}
	return ""
}

// restChars is how much is shown from a difference on.
const restChars = 40

// rest is the remainder of a line from a difference on, the first character by
// its number where it is not plain.
func rest(s string) string {
	if s == "" {
		return "the end of the line"
	}
	r, size := utf8.DecodeRuneInString(s)
	out := []rune(s)
	text := visible(string(out[:min(len(out), restChars)]))
	if len(out) > restChars {
		text += "…"
	}
	if size > 1 {
		text += fmt.Sprintf(" (U+%04X)", r)
	}
	return text
}

// visible is a text in quotes, with what cannot be seen, or is no plain space,
// escaped.
func visible(s string) string {
	if r := []rune(s); len(r) > closestChars {
		s = string(r[:closestChars]) + "…"
	}
	return strings.NewReplacer(`\"`, `"`).Replace(strconv.Quote(s))
}

// inLine finds old, one line, inside of one line with other whitespace.
func inLine(lines []string, old string) (int, bool) {
	w := squeeze(old)
	if w == "" || strings.Contains(strings.TrimSpace(old), "\n") {
		return 0, false
	}
	for i, l := range lines[:min(len(lines), closestLines)] {
		if len(l) >= len(w) && len(l) < 10*closestChars && strings.Contains(squeeze(l), w) {
			return i, true
		}
	}
	return 0, false
}

// looseMost is how many lines are compared for a loose match, at most.
const looseMost = 1_000_000

// looseMatch finds want among lines when the amount of whitespace does not
// count; -1 when it is not there once.
func looseMatch(lines, want []string) int {
	found, compared := -1, 0
	squeezed := make([]string, len(want))
	for i, w := range want {
		squeezed[i] = squeeze(w)
	}
	for i := 0; i+len(want) <= len(lines); i++ {
		same := true
		for j := range squeezed {
			if compared++; compared > looseMost {
				return -1
			}
			if squeeze(lines[i+j]) != squeezed[j] {
				same = false
				break
			}
		}
		if same {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// likeness is 1 for equal lines and 0 for lines that share nothing.
func likeness(a, b string) float64 {
	if a == "" || b == "" || len(a) > 3*len(b) || len(b) > 3*len(a) {
		return 0
	}
	return match.Alike(a[:min(len(a), closestChars)], b[:min(len(b), closestChars)])
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
