package text

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Unified renders the change from before to after as a unified diff with
// context lines around each hunk; "" when they are equal.
func Unified(oldName, newName, before, after string, context int) string {
	if before == after {
		return ""
	}
	above, before, after := around(before, after, context)
	edits := udiff.Lines(before, after)
	s, err := udiff.ToUnified(oldName, newName, before, edits, context)
	if err != nil {
		return fmt.Sprintf("(no diff: %v)", err)
	}
	return renumber(s, above)
}

// around takes off what two different texts have in common at both ends, but for
// lines of context, since a diff of large texts costs much more than that. It
// tells how many lines were taken off above.
func around(a, b string, context int) (above int, x, y string) {
	start := SameStart(a, b)
	for range context + 1 { // the first makes it the start of a line
		if start = strings.LastIndexByte(a[:max(0, start-1)], '\n') + 1; start == 0 {
			break
		}
	}
	end := min(SameEnd(a[start:], b[start:]), len(a)-start, len(b)-start)
	tail := a[len(a)-end:]
	cut := 0
	for range context + 1 {
		i := strings.IndexByte(tail[cut:], '\n')
		if i < 0 {
			cut = len(tail)
			break
		}
		cut += i + 1
	}
	end -= cut
	return strings.Count(a[:start], "\n"), a[start : len(a)-end], b[start : len(b)-end]
}

// SameStart is how many bytes two texts begin with alike.
func SameStart(a, b string) (n int) {
	const step = 4 << 10
	for n+step <= len(a) && n+step <= len(b) && a[n:n+step] == b[n:n+step] {
		n += step
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// SameEnd is how many bytes two texts end with alike.
func SameEnd(a, b string) (n int) {
	const step = 4 << 10
	for n+step <= len(a) && n+step <= len(b) && a[len(a)-n-step:len(a)-n] == b[len(b)-n-step:len(b)-n] {
		n += step
	}
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// renumber adds the lines above to the numbers of each hunk, and sets the new
// side's from the old side's and the lines that the hunks before added or
// removed: go-udiff v0.4.1 counts
// the lines between two changes of one hunk only on the old side. Lines of a
// hunk begin with ' ', '+', '-' or '\', so a line that begins with "@@" is a
// header.
func renumber(diff string, above int) string {
	lines := strings.SplitAfter(diff, "\n")
	shift := 0
	for i, l := range lines {
		m := hunkHeader.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		from, removed, added := number(m[1], 0), number(m[2], 1), number(m[4], 1)
		to := number(m[3], 0)
		if from > 0 && to > 0 {
			to = from + shift
		}
		lines[i] = fmt.Sprintf("@@ -%s +%s @@%s", span(from+above, removed), span(to+above, added), l[len(m[0]):])
		shift += added - removed
	}
	return strings.Join(lines, "")
}

func number(s string, absent int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return absent
	}
	return n
}

func span(line, count int) string {
	if count == 1 {
		return strconv.Itoa(line)
	}
	return fmt.Sprintf("%d,%d", line, count)
}
