package match

import (
	"strings"

	"companion/text"
)

// Fit gives the text to put at a hit in s so that old becomes fresh there: fresh
// itself at an exact place. At another one, lines that fresh has from old keep
// what the place has, and the others take the place's indentation; that is all
// that is changed in fresh.
func (h Hit) Fit(s, fresh string) string {
	switch {
	case h.pass == TrimmedBoundary:
		return h.boundary(fresh)
	case !h.lines:
		return fresh
	}
	there, old := s[h.Start:h.End], h.old
	ending := ""
	if body, closed := strings.CutSuffix(old, "\n"); closed {
		old = body
		rest, had := strings.CutSuffix(there, "\n")
		there = rest
		if cut, ok := strings.CutSuffix(fresh, "\n"); ok {
			fresh = cut
			if had {
				ending = "\n"
			}
		} else if fresh == "" {
			return ""
		}
	}
	if fresh == "" {
		return ending
	}
	b := newBlock(s, split(old), split(there), split(fresh))
	return strings.Join(b.replaced(), "\n") + ending
}

func split(s string) []string { return strings.Split(s, "\n") }

// boundary takes off fresh what was taken off old.
func (h Hit) boundary(fresh string) string {
	trimmed := strings.TrimSpace(h.old)
	at := strings.Index(h.old, trimmed)
	before, after := h.old[:at], h.old[at+len(trimmed):]
	if cut, ok := strings.CutPrefix(fresh, before); ok {
		fresh = cut
	} else if before != "" && !strings.HasPrefix(fresh, "\n") {
		fresh = strings.TrimLeft(fresh, " \t")
	}
	return strings.TrimSuffix(fresh, after)
}

// Difference is one line that a hit has otherwise than old; -1 stands for the
// line of a side that has none.
type Difference struct {
	Line       int // of the text that was searched, 0-based
	Old, There string
}

// Differences are the lines in which a hit is not what was sought; nil for an
// exact one.
func (h Hit) Differences(s string) (out []Difference) {
	if h.pass == Exact {
		return nil
	}
	first := strings.Count(s[:h.Start], "\n")
	old, there := split(strings.TrimSuffix(h.old, "\n")), split(strings.TrimSuffix(s[h.Start:h.End], "\n"))
	if h.pass == TrimmedBoundary || !h.lines {
		return nil
	}
	if len(old) == len(there) {
		for i := range old {
			if old[i] != there[i] {
				out = append(out, Difference{first + i, old[i], there[i]})
			}
		}
		return out
	}
	for _, c := range chunks(old, there) {
		d := Difference{Line: first + c.to, Old: strings.Join(old[c.from:c.end], "\n"), There: strings.Join(there[c.to:c.toEnd], "\n")}
		out = append(out, d)
	}
	return out
}

// chunk is lines [from, end) of one text that are [to, toEnd) of another.
type chunk struct{ from, end, to, toEnd int }

// chunks are the places where two texts of lines differ.
func chunks(a, b []string) (out []chunk) {
	was := strings.Join(a, "\n") + "\n"
	shift := 0
	for _, e := range text.Diff(was, strings.Join(b, "\n")+"\n") {
		from := strings.Count(was[:e.Start], "\n")
		end := from + strings.Count(was[e.Start:e.End], "\n")
		n := strings.Count(e.New, "\n")
		out = append(out, chunk{from, end, from + shift, from + shift + n})
		shift += n - (end - from)
	}
	return out
}
