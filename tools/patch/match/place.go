package match

import (
	"slices"
	"strings"

	"companion/text"
	"companion/tools/patch/syntax"
)

// Placed is where one hunk went.
type Placed struct {
	Line int // first line of the old text that it changes, or before which it inserts; 1-based
	Pass Pass
	// Lost is an @@ line that the text does not hold; the hunk's own lines were
	// found all the same.
	Lost string
}

// hunk is one hunk on its way to its place.
type hunk struct {
	syntax.Hunk
	n      int      // 1-based
	old    []string // lines that the text must hold
	ends   []int    // lines of the text where the @@ lines were found; nil = there are none
	lost   string   // the @@ line that was not found
	front  int      // Lines dropped at the front: empty ones that the text lacks
	back   int      // at the end
	places []int    // where old may begin
	raw    []int    // where old is, also where the @@ lines say otherwise
	pass   Pass
	at     int // the place
	first  int // of old lines: from the first that changes
	last   int // to behind the last
}

// variant is a hunk's lines without empty ones at the front or the end.
type variant struct{ front, back int }

// Place finds the place of every hunk of one section and gives the edits that
// make them, sorted. bare: the last line that is added at the end of the text
// gets no ending. The error is a *Miss.
func Place(s string, hunks []syntax.Hunk, bare bool) ([]text.Edit, []Placed, error) {
	x := newSource(s)
	all := make([]*hunk, len(hunks))
	for i, h := range hunks {
		all[i] = newHunk(h, i+1)
	}
	anchors(x, all)
	locate(x, all)
	for _, h := range all {
		if len(h.places) == 0 {
			return nil, nil, x.missing(h)
		}
	}
	if err := assign(x, all); err != nil {
		return nil, nil, err
	}
	var edits []text.Edit
	placed := make([]Placed, len(all))
	for i, h := range all {
		edits = append(edits, x.edits(h)...)
		placed[i] = Placed{Line: h.at + h.first + 1, Pass: h.pass, Lost: h.lost}
	}
	slices.SortStableFunc(edits, func(a, b text.Edit) int { return a.Start - b.Start })
	for i := 1; i < len(edits); i++ {
		if edits[i].Start < edits[i-1].End {
			return nil, nil, &Miss{Reason: "two hunks change the same lines: join them"}
		}
	}
	return x.finish(edits, bare), placed, nil
}

func newHunk(h syntax.Hunk, n int) *hunk {
	out := &hunk{Hunk: h, n: n}
	out.take(variant{})
	return out
}

// take sets old and the span of changes for a variant.
func (h *hunk) take(v variant) {
	h.front, h.back = v.front, v.back
	h.old, h.first, h.last = h.old[:0:0], -1, 0
	for _, l := range h.own() {
		switch l.Op {
		case '+':
			if h.first < 0 {
				h.first = len(h.old)
			}
			h.last = len(h.old)
			continue
		case '-':
			if h.first < 0 {
				h.first = len(h.old)
			}
			h.last = len(h.old) + 1
		}
		h.old = append(h.old, l.Text)
	}
}

// own are the lines of the hunk but those that were dropped.
func (h *hunk) own() []syntax.Line { return h.Lines[h.front : len(h.Lines)-h.back] }

// variants are the ways to read a hunk whose first or last lines are empty ones
// that may stand for nothing.
func (h *hunk) variants() []variant {
	front, back := 0, 0
	for front < len(h.Lines) && h.Lines[front].Loose {
		front++
	}
	for back < len(h.Lines)-front && h.Lines[len(h.Lines)-1-back].Loose {
		back++
	}
	out := []variant{{}}
	if back > 0 {
		out = append(out, variant{0, back})
	}
	if front > 0 {
		out = append(out, variant{front, 0})
	}
	if front > 0 && back > 0 {
		out = append(out, variant{front, back})
	}
	return out
}

// locate finds the possible places of all hunks.
func locate(x *source, all []*hunk) {
	var open []*hunk
	for _, h := range all {
		if len(h.old) == 0 || h.bodyless() {
			h.insertion(x)
			continue
		}
		open = append(open, h)
	}
	for pass := Exact; pass < passes && len(open) > 0; pass++ {
		s := newSearch(x, pass)
		asked := make([][]*query, len(open))
		vs := make([][]variant, len(open))
		for i, h := range open {
			if pass == Healed && (len(h.raw) > 0 || !h.escaped()) {
				continue
			}
			vs[i] = h.variants()
			for _, v := range vs[i] {
				h.take(v)
				asked[i] = append(asked[i], s.ask(h.old))
			}
		}
		s.run()
		var next []*hunk
		for i, h := range open {
			if !h.choose(x, pass, vs[i], asked[i]) {
				next = append(next, h)
			}
		}
		open = next
	}
	for _, h := range open {
		if len(h.raw) == 1 { // the @@ lines mislead, the hunk itself is plain
			h.places = h.raw
			if h.lost == "" {
				h.lost = h.Anchors[len(h.Anchors)-1]
			}
		}
	}
}

// bodyless: the hunk's old lines are all empty ones that may stand for nothing.
func (h *hunk) bodyless() bool {
	for _, l := range h.Lines {
		if l.Op != '+' && !l.Loose {
			return false
		}
	}
	for i, l := range h.Lines { // between lines that are added they are meant
		if l.Loose && i > 0 && i < len(h.Lines)-1 && h.Lines[i-1].Op == '+' {
			return false
		}
	}
	v := h.variants()
	h.take(v[len(v)-1])
	return len(h.old) == 0
}

// insertion places a hunk that only adds: after its @@ line, else at the end.
func (h *hunk) insertion(x *source) {
	h.places = []int{x.count()}
	if h.EOF || len(h.Anchors) == 0 {
		return
	}
	h.places = nil
	for _, e := range h.ends {
		h.places = append(h.places, e+1)
	}
}

func (h *hunk) escaped() bool {
	return slices.ContainsFunc(h.Lines, func(l syntax.Line) bool { return l.Op != '+' && strings.Contains(l.Text, `\`) })
}

// choose takes the first variant that was found where it may be.
func (h *hunk) choose(x *source, pass Pass, vs []variant, asked []*query) bool {
	for i, q := range asked {
		if len(q.hits) == 0 {
			continue
		}
		if len(h.raw) == 0 {
			h.raw, h.pass = q.hits, pass
		}
		if places := h.allowed(x, q); len(places) > 0 {
			h.take(vs[i])
			h.places, h.pass = places, pass
			return true
		}
	}
	h.take(variant{})
	return false
}

// allowed are those hits that End of File and the @@ lines leave.
func (h *hunk) allowed(x *source, q *query) []int {
	if h.EOF {
		last := q.hits[len(q.hits)-1]
		tail := last + len(q.lines)
		for tail < x.count() && strings.Trim(x.line(tail), blanks) == "" {
			tail++
		}
		if tail == x.count() {
			return []int{last}
		}
	}
	if h.ends == nil {
		return q.hits
	}
	var out []int
	for _, e := range h.ends {
		i, _ := slices.BinarySearch(q.hits, e)
		if i < len(q.hits) && (len(out) == 0 || out[len(out)-1] != q.hits[i]) {
			out = append(out, q.hits[i])
		}
	}
	return out
}
