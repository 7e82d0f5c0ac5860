package delta

import (
	"strconv"
	"strings"

	"companion/text"
	"companion/tools"
)

// Delta is what changed between two lists of one file.
type Delta struct {
	Fresh, Fixed []tools.Diagnostic
	Remaining    int
	Milder       int // fresh ones too mild to be told
}

// Add joins two.
func (d Delta) Add(o Delta) Delta {
	return Delta{append(d.Fresh, o.Fresh...), append(d.Fixed, o.Fixed...), d.Remaining + o.Remaining, d.Milder + o.Milder}
}

// Told leaves what is no milder than worst, and counts the rest of Fresh.
// Remaining is as it was.
func (d Delta) Told(worst tools.Severity) Delta {
	d.Milder += Milder(d.Fresh, worst)
	d.Fresh, d.Fixed = Counted(d.Fresh, worst), Counted(d.Fixed, worst)
	return d
}

// Known is a list of diagnostics with the text that it is of; Exact ranges are
// compared when that is not known.
type Known struct {
	Items []tools.Diagnostic
	Text  string
	OK    bool // there is such a list
}

// Between compares what is no milder than worst, and counts what is and is new.
func Between(worst tools.Severity, old, now Known) Delta {
	milder := func(items []tools.Diagnostic) (out []tools.Diagnostic) {
		for _, d := range items {
			if d.Severity > worst {
				out = append(out, d)
			}
		}
		return out
	}
	told := func(k Known) Known {
		k.Items = Counted(k.Items, worst)
		return k
	}
	out := Compare(told(old), told(now))
	if m := milder(now.Items); len(m) > 0 {
		now.Items, old.Items = m, milder(old.Items)
		out.Milder = len(Compare(old, now).Fresh)
	}
	return out
}

// Compare finds what is new and what is gone. An item of the old list is the
// same as one of the new when server, source, code, severity and message agree and it stands
// at the same place: the same line and column moved by the edits above it, or,
// on an edited line, the same trimmed line; failing that, any edited line.
func Compare(old, now Known) Delta {
	hunks := lineHunks(old.Text, now.Text)
	oldX, nowX := text.NewIndex(old.Text), text.NewIndex(now.Text)
	at := map[string][]int{}    // exact anchor → indexes of old
	loose := map[string][]int{} // identity alone, edited lines
	used := make([]bool, len(old.Items))
	for i, d := range old.Items {
		line, inside := hunks.forward(d.Range.Start.Line)
		k := anchor(d, oldX, line, inside)
		at[k] = append(at[k], i)
		if inside {
			loose[Identity(d)] = append(loose[Identity(d)], i)
		}
	}
	take := func(m map[string][]int, k string) bool {
		for len(m[k]) > 0 {
			i := m[k][0]
			m[k] = m[k][1:]
			if !used[i] {
				used[i] = true
				return true
			}
		}
		return false
	}
	var out Delta
	var left []tools.Diagnostic
	for _, d := range now.Items {
		if take(at, anchor(d, nowX, d.Range.Start.Line, hunks.inNew(d.Range.Start.Line))) {
			out.Remaining++
		} else {
			left = append(left, d)
		}
	}
	for _, d := range left {
		if hunks.inNew(d.Range.Start.Line) && take(loose, Identity(d)) {
			out.Remaining++
		} else {
			out.Fresh = append(out.Fresh, d)
		}
	}
	for i, d := range old.Items {
		if !used[i] {
			out.Fixed = append(out.Fixed, d)
		}
	}
	return out
}

// Identity is what makes two diagnostics at different places the same problem.
func Identity(d tools.Diagnostic) string {
	return strings.Join([]string{d.Server, d.Source, d.Code, d.Severity.String(), d.Message}, "\x00")
}

func anchor(d tools.Diagnostic, x *text.Index, line int, edited bool) string {
	if edited {
		return Identity(d) + "\x00text " + strings.TrimSpace(x.Line(d.Range.Start.Line))
	}
	return Identity(d) + "\x00at " + strconv.Itoa(line) + ":" + strconv.Itoa(d.Range.Start.Character)
}

// hunk is lines [oldStart, oldEnd) that became [newStart, newEnd), 0-based.
type hunk struct{ oldStart, oldEnd, newStart, newEnd int }

type hunkList []hunk

func lineHunks(before, after string) hunkList {
	x := text.NewIndex(before)
	var out hunkList
	shift := 0
	for _, e := range text.Diff(before, after) {
		from := x.Position(e.Start, text.UTF8).Line
		to := from + lines(before[e.Start:e.End])
		n := lines(e.New)
		out = append(out, hunk{from, to, from + shift, from + shift + n})
		shift += n - (to - from)
	}
	return out
}

// lines counts the lines of a piece, a last one without an ending included.
func lines(s string) int {
	if s == "" {
		return 0
	}
	n := text.NewIndex(s).Lines()
	if strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") {
		n--
	}
	return n
}

// forward maps a line of the old text to the new one; inside says that the
// line itself was edited.
func (h hunkList) forward(line int) (mapped int, inside bool) {
	for i := len(h) - 1; i >= 0; i-- {
		if line >= h[i].oldEnd {
			return line + h[i].newEnd - h[i].oldEnd, false
		}
		if line >= h[i].oldStart {
			return line, true
		}
	}
	return line, false
}

func (h hunkList) inNew(line int) bool {
	for _, one := range h {
		if line >= one.newStart && line < one.newEnd {
			return true
		}
	}
	return false
}
