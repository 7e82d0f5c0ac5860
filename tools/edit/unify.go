package edit

import (
	"fmt"
	"sort"
	"strings"

	"companion/text"
)

// unified is a text with every line ending as \n, and the way back.
type unified struct {
	text   string
	source string
	wide   []int // offsets in text of those \n that are \r\n in source
}

func unify(source string) unified {
	u := unified{source: source}
	if !strings.Contains(source, "\r") {
		u.text = source
		return u
	}
	var b strings.Builder
	b.Grow(len(source))
	for rest := source; rest != ""; {
		line, after, found := strings.Cut(rest, "\r")
		b.WriteString(line)
		if !found {
			break
		}
		if cut, ok := strings.CutPrefix(after, "\n"); ok {
			u.wide = append(u.wide, b.Len())
			after = cut
		}
		b.WriteByte('\n')
		rest = after
	}
	u.text = b.String()
	return u
}

// offset in source of an offset in text.
func (u unified) offset(off int) int {
	return off + sort.SearchInts(u.wide, off)
}

// edits turn what stands at [start, end) of text into fresh. Lines that both
// have keep their bytes; new line endings are those of the replaced span, else
// of the whole text, else ending.
func (u unified) edits(start, end int, fresh, ending string) []text.Edit {
	from, to := u.offset(start), u.offset(end)
	for _, s := range []string{u.source[from:to], u.source} {
		if e, _ := text.Ending(s); e != "" {
			ending = e
			break
		}
	}
	var out []text.Edit
	for _, e := range text.Diff(u.text[start:end], fresh) {
		put := e.New
		if ending != "" {
			put = text.WithEnding(put, ending)
		}
		out = append(out, text.Edit{Start: u.offset(start + e.Start), End: u.offset(start + e.End), New: put})
	}
	return out
}

// lineOf is the 1-based line of an offset.
func lineOf(s string, off int) int { return strings.Count(s[:off], "\n") + 1 }

// mostPlaces is how many lines are listed.
const mostPlaces = 20

func listed(lines []int) string {
	out := make([]string, 0, mostPlaces)
	for _, l := range lines[:min(mostPlaces, len(lines))] {
		out = append(out, fmt.Sprint(l))
	}
	if len(lines) > mostPlaces {
		out = append(out, fmt.Sprintf("… (%d more)", len(lines)-mostPlaces))
	}
	return strings.Join(out, ", ")
}
