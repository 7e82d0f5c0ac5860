package match

import (
	"strings"

	"companion/text"
)

// block is one replacement by lines: what was sought, what stands there, what
// is to stand there.
type block struct {
	old, there, fresh []string
	paired            bool // as many lines are there as were sought
	oldUnit, unit     string
}

func newBlock(s string, old, there, fresh []string) *block {
	b := &block{old: old, there: there, fresh: fresh, paired: len(old) == len(there)}
	b.oldUnit = unitOf(strings.Join(old, "\n")+"\n"+strings.Join(fresh, "\n"), "")
	b.unit = unitOf(s, b.oldUnit)
	return b
}

// replaced gives the lines that are to stand there.
func (b *block) replaced() (out []string) {
	if !b.paired {
		old, fresh := b.indented(b.old), b.indented(b.fresh)
		merged, ok := text.Merge(join(old), join(fresh), join(b.there))
		if !ok {
			return fresh
		}
		return split(strings.TrimSuffix(merged, "\n"))
	}
	at := 0
	for _, c := range chunks(b.old, b.fresh) {
		out = append(out, b.there[at:c.from]...)
		for i := c.to; i < c.toEnd; i++ {
			out = append(out, b.indent(b.fresh[i], min(c.from+i-c.to, max(c.from, c.end-1))))
		}
		at = c.end
	}
	return append(out, b.there[at:]...)
}

func join(lines []string) string { return strings.Join(lines, "\n") + "\n" }

func (b *block) indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = b.indent(l, i)
	}
	return out
}

// indent gives a line of fresh the indentation that it would have there; near is
// the line of old that it stands for.
func (b *block) indent(line string, near int) string {
	if blank(line) {
		return line
	}
	has := indentOf(line)
	best, far := -1, 0
	for i := range b.old {
		if _, ok := b.pair(i); !ok {
			continue
		}
		off := abs(width(indentOf(b.old[i])) - width(has))
		d := off*len(b.old)*2 + abs(i-near)
		if best < 0 || d < far {
			best, far = i, d
		}
	}
	if best < 0 {
		return line
	}
	there, _ := b.pair(best)
	return b.shifted(has, indentOf(b.old[best]), there) + line[len(has):]
}

// pair is the indentation that stands for that of line i of old.
func (b *block) pair(i int) (string, bool) {
	j := i
	switch {
	case blank(b.old[i]):
		return "", false
	case b.paired:
	case i == 0:
	case i == len(b.old)-1:
		j = len(b.there) - 1
	default:
		return "", false
	}
	return indentOf(b.there[j]), !blank(b.there[j])
}

// shifted is the indentation has, by as many levels from there as it has from
// ref.
func (b *block) shifted(has, ref, there string) string {
	if has == ref {
		return there
	}
	more, deeper := strings.CutPrefix(has, ref)
	levels, rest := level(more, b.oldUnit)
	if !deeper {
		n, _ := level(ref, b.oldUnit)
		levels, rest = level(has, b.oldUnit)
		levels -= n
	}
	if deeper && b.oldUnit == b.unit {
		return there + more
	}
	for ; levels < 0; levels++ {
		cut, ok := strings.CutSuffix(there, b.unit)
		if !ok {
			return ""
		}
		there = cut
	}
	return there + strings.Repeat(b.unit, levels) + rest
}

// level counts how many units an indentation holds, and what is over.
func level(indent, unit string) (n int, rest string) {
	for strings.HasPrefix(indent, unit) {
		indent, n = indent[len(unit):], n+1
	}
	return n, indent
}

func abs(n int) int { return max(n, -n) }

// Bounds of the search for the unit of indentation.
const (
	unitLines = 2_000
	unitMost  = 8 // columns
)

// unitOf is what one level of indentation is in s: a tab, or the number of
// spaces by which its lines most often differ from one to the next; other where
// they do not, four spaces where that is "".
func unitOf(s, other string) string {
	var seen [unitMost + 1]int
	last := -1
	for i := 0; i < unitLines && s != ""; i++ {
		line, rest, _ := strings.Cut(s, "\n")
		s = rest
		if strings.HasPrefix(line, "\t") {
			return "\t"
		}
		if blank(line) {
			continue
		}
		n := len(indentOf(line))
		if d := abs(n - last); last >= 0 && d > 1 && d <= unitMost {
			seen[d]++
		}
		last = n
	}
	best := 0
	for d, n := range seen {
		if n > seen[best] {
			best = d
		}
	}
	switch {
	case best > 0:
		return strings.Repeat(" ", best)
	case other != "":
		return other
	}
	return "    "
}
