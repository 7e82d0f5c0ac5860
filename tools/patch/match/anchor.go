package match

import "strings"

// leastContained is the length from which on an @@ line may also be a part of
// a line, in bytes.
const leastContained = 4

// anchors finds the @@ lines of all hunks.
func anchors(x *source, all []*hunk) {
	found := map[string][]int{}
	var open []string
	for _, h := range all {
		for _, a := range h.Anchors {
			if _, known := found[a]; !known {
				found[a] = nil
				open = append(open, a)
			}
		}
	}
	for pass := Exact; pass < passes && len(open) > 0; pass++ {
		s := newSearch(x, pass)
		asked := make([]*query, len(open))
		for i, a := range open {
			asked[i] = s.ask([]string{a})
		}
		s.run()
		var next []string
		for i, a := range open {
			if found[a] = asked[i].hits; len(found[a]) == 0 {
				next = append(next, a)
			}
		}
		open = next
	}
	for _, a := range open {
		found[a] = x.parts(a)
	}
	for _, h := range all {
		h.chain(found)
	}
}

// parts are the lines that begin with an @@ line, else those that hold it.
func (x *source) parts(anchor string) (out []int) {
	want := fold(strings.Trim(anchor, blanks))
	if want == "" {
		return nil
	}
	var inside []int
	for i := range x.count() {
		l := fold(strings.Trim(x.line(i), blanks))
		switch {
		case strings.HasPrefix(l, want):
			out = append(out, i)
		case len(want) >= leastContained && strings.Contains(l, want):
			inside = append(inside, i)
		}
	}
	if len(out) == 0 {
		return inside
	}
	return out
}

// chain finds the lines where the last of the hunk's @@ lines stands below the
// others. One that is not there at all is noted and left out.
func (h *hunk) chain(found map[string][]int) {
	for _, a := range h.Anchors {
		at := found[a]
		if len(at) == 0 {
			h.lost = a
			continue
		}
		if h.ends == nil {
			h.ends = at
			continue
		}
		var below []int
		k := 0
		for _, e := range h.ends {
			for k < len(at) && at[k] <= e {
				k++
			}
			if k < len(at) && (len(below) == 0 || below[len(below)-1] != at[k]) {
				below = append(below, at[k])
			}
		}
		if len(below) == 0 {
			h.lost = a
			continue
		}
		h.ends = below
	}
}
