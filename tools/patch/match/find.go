package match

import "strings"

// query is a run of lines that is sought; equal runs share one.
type query struct {
	lines []string // as the pass compares them
	key   int      // the line by which it is found
	hits  []int    // lines where it begins, ascending
}

// search finds runs of lines in a text, all of one pass at once.
type search struct {
	x    *source
	pass Pass
	runs map[string]*query
}

func newSearch(x *source, p Pass) *search { return &search{x: x, pass: p, runs: map[string]*query{}} }

// ask adds a run of lines of the patch.
func (s *search) ask(lines []string) *query {
	own := lines
	if s.pass != Exact {
		own = make([]string, len(lines))
		for i, l := range lines {
			own[i] = s.pass.ofPatch(l)
		}
	}
	joined := own[0]
	if len(own) > 1 {
		joined = strings.Join(own, "\n")
	}
	q := s.runs[joined]
	if q == nil {
		q = &query{lines: own}
		for i, l := range own {
			if len(l) > len(own[q.key]) {
				q.key = i
			}
		}
		s.runs[joined] = q
	}
	return q
}

// run looks for what was asked.
func (s *search) run() {
	if len(s.runs) == 0 {
		return
	}
	byKey := make(map[string][]*query, len(s.runs))
	for _, q := range s.runs {
		k := q.lines[q.key]
		byKey[k] = append(byKey[k], q)
	}
	for i := range s.x.count() {
		for _, q := range byKey[s.pass.ofFile(s.x.line(i))] {
			if at := i - q.key; s.holds(q, at) {
				q.hits = append(q.hits, at)
			}
		}
	}
}

// holds tells whether the run begins at a line.
func (s *search) holds(q *query, at int) bool {
	if at < 0 || at+len(q.lines) > s.x.count() {
		return false
	}
	for k, l := range q.lines {
		if k != q.key && s.pass.ofFile(s.x.line(at+k)) != l {
			return false
		}
	}
	return true
}
