package match

import "strings"

// finder seeks one text in another by whole lines.
type finder struct {
	Options
	s      string
	lines  []string // of s, without their endings
	starts []int    // offsets of lines in s
	old    string
	want   []string // lines of old; a last line ending makes no line of its own
	closed bool     // old ends with a line ending
}

func newFinder(s, old string, o Options) *finder {
	f := &finder{Options: o, s: s, old: old, lines: strings.Split(s, "\n")}
	f.starts = make([]int, len(f.lines))
	at := 0
	for i, l := range f.lines {
		f.starts[i] = at
		at += len(l) + 1
	}
	body, closed := strings.CutSuffix(old, "\n")
	f.want, f.closed = strings.Split(body, "\n"), closed
	return f
}

// hit is the lines [i, i+n) with the last line ending, where old has one.
func (f *finder) hit(i, n int) Hit {
	end := f.starts[i+n-1] + len(f.lines[i+n-1])
	if f.closed && end < len(f.s) {
		end++
	}
	return Hit{Start: f.starts[i], End: end, old: f.old, lines: true}
}

// equal finds blocks whose lines are those of old as same compares them with what
// norm makes of these; shape: only such that are indented alike.
func (f *finder) equal(norm func(string) string, same func(line, want string) bool, shape bool) (hits []Hit) {
	want := make([]string, len(f.want))
	for i, w := range f.want {
		want[i] = norm(w)
	}
	at := f.compared(want, norm, same)
	for i := 0; i+len(want) <= len(f.lines); {
		if !at(i) || (shape || f.Indented) && !shaped(f.want, f.lines[i:i+len(want)]) {
			i++
			continue
		}
		hits = append(hits, f.hit(i, len(want)))
		i += len(want)
	}
	return hits
}

// manyLines is from how many lines on a block is compared by numbers that stand
// for lines: a file of many alike ones would take too long else.
const manyLines = 32

// compared tells of a line whether the block that begins there is want.
func (f *finder) compared(want []string, norm func(string) string, same func(line, want string) bool) func(i int) bool {
	if len(want) < manyLines {
		return func(i int) bool {
			for j, w := range want {
				if !same(f.lines[i+j], w) {
					return false
				}
			}
			return true
		}
	}
	numbers := map[string]int{}
	sought := make([]int, len(want))
	for i, w := range want {
		if numbers[w] == 0 {
			numbers[w] = i + 1
		}
		sought[i] = numbers[w]
	}
	lines := make([]int, len(f.lines))
	for i, l := range f.lines {
		lines[i] = numbers[norm(l)] // 0 = none of want's
	}
	begins := occurrences(lines, sought)
	return func(i int) bool { return begins[i] }
}

// occurrences tells of each place of a whether b begins there, by the algorithm of
// Knuth, Morris and Pratt, whose time does not grow with the product of both.
func occurrences(a, b []int) []bool {
	back := make([]int, len(b)) // length of the longest start of b that ends at i
	for i, n := 1, 0; i < len(b); i++ {
		for n > 0 && b[i] != b[n] {
			n = back[n-1]
		}
		if b[i] == b[n] {
			n++
		}
		back[i] = n
	}
	out := make([]bool, len(a))
	for i, n := 0, 0; i < len(a); i++ {
		for n > 0 && (n == len(b) || a[i] != b[n]) {
			n = back[n-1]
		}
		if a[i] == b[n] {
			n++
		}
		if n == len(b) {
			out[i-n+1] = true
		}
	}
	return out
}

// escaped are the escapes that a model may write twice.
var escaped = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, "'", "\\`", "`", `\\`, `\`, `\$`, "$", "\\\n", "\n")

// unescaped finds old with its escapes read, exactly, else by line-trimmed.
func (f *finder) unescaped() (hits []Hit) {
	if !strings.Contains(f.old, `\`) {
		return nil
	}
	old := strings.ReplaceAll(escaped.Replace(f.old), "\r\n", "\n")
	if old == f.old || weak(old) {
		return nil
	}
	if hits = exact(f.s, old, f.All); len(hits) > 0 {
		return hits
	}
	return newFinder(f.s, old, f.Options).equal(strings.TrimSpace, trimmed, true)
}

// bounded finds old without the whitespace around it. Where some was cut off,
// the place must begin, or end, where a line does.
func (f *finder) bounded() (hits []Hit) {
	trimmed := strings.TrimSpace(f.old)
	if trimmed == f.old {
		return nil
	}
	at := strings.Index(f.old, trimmed)
	before, after := at > 0, at+len(trimmed) < len(f.old)
	for _, h := range exact(f.s, trimmed, f.All) {
		line := f.s[strings.LastIndexByte(f.s[:h.Start], '\n')+1 : h.Start]
		rest, _, _ := strings.Cut(f.s[h.End:], "\n")
		if before && !blank(line) || after && !blank(rest) {
			continue
		}
		h.old = f.old
		hits = append(hits, h)
	}
	return hits
}

// Bounds of the passes that guess.
const (
	anchorLines  = 3    // fewest lines of a block with a middle
	anchorAlike  = 0.65 // least likeness of the middle
	contextAlike = 0.5  // least part of the middle that is right
	mostFrames   = 200  // blocks that are compared, at most; of more none is taken
)

// anchored finds blocks that begin and end as old, are at most a quarter (or one
// line) longer or shorter, and whose middle is alike. Of blocks that share lines
// the one that is most alike counts.
func (f *finder) anchored() (hits []Hit) {
	slack := max(1, len(f.want)/4)
	var scores []float64
	for _, b := range f.frames(slack) {
		score := likeness(f.want[1:len(f.want)-1], f.lines[b.at+1:b.at+b.n-1])
		if score < anchorAlike || b.n == len(f.want) && f.Indented && !shaped(f.want, f.lines[b.at:b.at+b.n]) || f.same(b) {
			continue
		}
		h := f.hit(b.at, b.n)
		if last := len(hits) - 1; last >= 0 && hits[last].End > h.Start {
			if score > scores[last] {
				hits[last], scores[last] = h, score
			}
			continue
		}
		hits, scores = append(hits, h), append(scores, score)
	}
	return hits
}

// frame is a block of n lines at a line, 0-based.
type frame struct{ at, n int }

// frames are the blocks whose first and last line are old's, in whatever
// whitespace, and whose number of lines is old's give or take slack.
func (f *finder) frames(slack int) (out []frame) {
	n := len(f.want)
	first, last := squeeze(f.want[0]), ""
	if n < anchorLines || first == "" {
		return nil
	}
	if last = squeeze(f.want[n-1]); last == "" || weak(first) && weak(last) {
		return nil
	}
	var ends []int
	for i, l := range f.lines {
		if squeezed(l, last) {
			ends = append(ends, i)
		}
	}
	for i, from := 0, 0; i < len(f.lines) && from < len(ends); i++ {
		for from < len(ends) && ends[from] < i+max(anchorLines, n-slack)-1 {
			from++
		}
		if from == len(ends) || ends[from] > i+n+slack-1 || !squeezed(f.lines[i], first) {
			continue
		}
		for _, end := range ends[from:] {
			if end > i+n+slack-1 {
				break
			}
			if out = append(out, frame{i, end - i + 1}); len(out) > mostFrames {
				return nil
			}
		}
	}
	return out
}

// same tells whether a block differs from old in whitespace only, which is for
// other passes to judge.
func (f *finder) same(b frame) bool {
	if b.n != len(f.want) {
		return false
	}
	for i, w := range f.want {
		if squeeze(w) != squeeze(f.lines[b.at+i]) {
			return false
		}
	}
	return true
}

// context finds blocks of as many lines as old that begin and end as it does and
// have half of its other lines, blank ones not counted, where they stand in old.
func (f *finder) context() (hits []Hit) {
	for _, b := range f.frames(0) {
		right, all := 0, 0
		for i := 1; i < b.n-1; i++ {
			w, l := strings.TrimSpace(f.want[i]), strings.TrimSpace(f.lines[b.at+i])
			if w == "" && l == "" {
				continue
			}
			if all++; w == l {
				right++
			}
		}
		if all == 0 || float64(right) < contextAlike*float64(all) || f.same(b) || f.Indented && !shaped(f.want, f.lines[b.at:b.at+b.n]) {
			continue
		}
		hits = append(hits, f.hit(b.at, b.n))
	}
	return hits
}

// likeness of two blocks, 0 to 1: of as many lines the mean of each pair's, else
// that of the whole.
func likeness(a, b []string) float64 {
	if len(a) != len(b) {
		return Alike(squeeze(strings.Join(a, " ")), squeeze(strings.Join(b, " ")))
	}
	sum, n := 0.0, 0
	for i := range a {
		x, y := squeeze(a[i]), squeeze(b[i])
		if x == "" && y == "" {
			continue
		}
		n++
		sum += Alike(x, y)
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}
