package grammar

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxText  = 1 << 20   // bytes of a text that is checked
	maxItems = 4_000_000 // of all sets, 12 bytes each
	maxTime  = 2 * time.Second
)

// Mismatch says where a text stops being what the grammar describes.
type Mismatch struct {
	Line, Column int      // 1-based; the column counts characters
	Got          string   // what stands there, quoted and shortened; "" at the end of the text
	Expected     []string // terminals
}

func (m *Mismatch) Error() string {
	const most = 8
	want := m.Expected[:min(len(m.Expected), most)]
	text := "line %d, column %d: expected %s"
	if len(m.Expected) > most {
		text += fmt.Sprintf(" (or one of %d others)", len(m.Expected)-most)
	}
	got := "the end of the text"
	if m.Got != "" {
		got = m.Got
	}
	return fmt.Sprintf(text+", got %s", m.Line, m.Column, strings.Join(want, " or "), got)
}

// item is a production of which dot symbols were found, from origin on.
type item struct{ prod, dot, origin int32 }

// set is the items at one place of the text.
type set struct {
	items []item
	have  map[item]bool // once there are many
	empty []int         // rules that matched nothing here
}

func (s *set) add(it item) bool {
	const few = 80 // a scan of so many is faster than a map
	if len(s.items) < few {
		if slices.Contains(s.items, it) {
			return false
		}
		s.items = append(s.items, it)
		return true
	}
	if s.have == nil {
		s.have = make(map[item]bool, 2*few)
		for _, old := range s.items {
			s.have[old] = true
		}
	}
	if s.have[it] {
		return false
	}
	s.have[it] = true
	s.items = append(s.items, it)
	return true
}

// Check tells whether the grammar describes text. The error is a *Mismatch. A
// text that is too long or takes too long to check passes.
func (g *Grammar) Check(text string) error {
	if len(text) > maxText {
		return nil
	}
	return g.check(text, time.Now().Add(maxTime))
}

func (g *Grammar) check(text string, until time.Time) error {
	r := &run{g: g, text: text, sets: make([]*set, len(text)+1)}
	filled := 0
	for _, p := range g.byRule[g.start] {
		r.add(0, item{int32(p), 0, 0})
	}
	for at := range r.sets {
		if r.sets[at] == nil {
			continue
		}
		r.last = at
		r.fill(at)
		if filled++; r.count > maxItems || filled%64 == 0 && time.Now().After(until) {
			return nil
		}
	}
	if end := r.sets[len(text)]; end != nil && slices.ContainsFunc(end.items, r.accepts) {
		return nil
	}
	return r.mismatch()
}

// run is an Earley recogniser on one text.
type run struct {
	g     *Grammar
	text  string
	sets  []*set // by place; nil where no item is
	last  int    // the last place with items
	count int
}

func (r *run) add(at int, it item) {
	if r.sets[at] == nil {
		r.sets[at] = &set{items: make([]item, 0, 8)}
	}
	if r.sets[at].add(it) {
		r.count++
	}
}

func (r *run) accepts(it item) bool {
	p := r.g.prods[it.prod]
	return p.rule == r.g.start && it.origin == 0 && int(it.dot) == len(p.rhs)
}

// fill closes the set at a place and begins those behind it.
func (r *run) fill(at int) {
	s := r.sets[at]
	for i := 0; i < len(s.items) && r.count <= maxItems; i++ {
		it := s.items[i]
		p := r.g.prods[it.prod]
		switch {
		case int(it.dot) == len(p.rhs):
			r.complete(at, it, p.rule)
		case p.rhs[it.dot] < 0:
			t := r.g.terminals[^p.rhs[it.dot]]
			if n := t.match(r.text[at:]); n >= 0 {
				r.add(at+n, item{it.prod, it.dot + 1, it.origin})
			}
		default:
			rule := int(p.rhs[it.dot])
			for _, q := range r.g.byRule[rule] {
				r.add(at, item{int32(q), 0, int32(at)})
			}
			if slices.Contains(s.empty, rule) {
				r.add(at, item{it.prod, it.dot + 1, it.origin})
			}
		}
	}
	for _, t := range r.g.ignore {
		n := t.match(r.text[at:])
		if n <= 0 {
			continue
		}
		for _, it := range s.items {
			p := r.g.prods[it.prod]
			if r.accepts(it) || int(it.dot) < len(p.rhs) && p.rhs[it.dot] < 0 {
				r.add(at+n, it)
			}
		}
	}
}

// complete moves on what waited for a rule that was found.
func (r *run) complete(at int, it item, rule int) {
	s := r.sets[at]
	if int(it.origin) == at {
		if slices.Contains(s.empty, rule) {
			return
		}
		s.empty = append(s.empty, rule)
	}
	from := r.sets[it.origin].items
	for _, w := range from[:len(from):len(from)] {
		if q := r.g.prods[w.prod]; int(w.dot) < len(q.rhs) && q.rhs[w.dot] == symbol(rule) {
			r.add(at, item{w.prod, w.dot + 1, w.origin})
		}
	}
}

// mismatch words the last place that the recogniser reached.
func (r *run) mismatch() error {
	before := r.text[:r.last]
	m := &Mismatch{Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])}
	if rest := r.text[r.last:]; rest != "" {
		line, _, _ := strings.Cut(rest, "\n")
		if line == "" {
			line = "\n"
		}
		if len(line) > 40 {
			line = strings.ToValidUTF8(line[:40], "") + "…"
		}
		m.Got = fmt.Sprintf("%q", line)
	}
	end := false
	for _, it := range r.sets[r.last].items {
		p := r.g.prods[it.prod]
		end = end || r.accepts(it)
		if int(it.dot) < len(p.rhs) && p.rhs[it.dot] < 0 {
			if shown := r.g.terminals[^p.rhs[it.dot]].shown; !slices.Contains(m.Expected, shown) {
				m.Expected = append(m.Expected, shown)
			}
		}
	}
	if end {
		m.Expected = append(m.Expected, "the end of the text")
	}
	slices.Sort(m.Expected)
	return m
}
