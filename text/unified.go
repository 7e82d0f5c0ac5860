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
	edits := udiff.Lines(before, after)
	s, err := udiff.ToUnified(oldName, newName, before, edits, context)
	if err != nil {
		return fmt.Sprintf("(no diff: %v)", err)
	}
	return renumber(s)
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// renumber sets the new side's line numbers of each hunk from the old side's
// and the lines that the hunks before added or removed: go-udiff v0.4.1 counts
// the lines between two changes of one hunk only on the old side. Lines of a
// hunk begin with ' ', '+', '-' or '\', so a line that begins with "@@" is a
// header.
func renumber(diff string) string {
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
		lines[i] = fmt.Sprintf("@@ -%s +%s @@%s", span(from, removed), span(to, added), l[len(m[0]):])
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
