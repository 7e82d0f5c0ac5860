package match

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"companion/text"
)

// Limits of Search.
type Limits struct {
	Most    int // hits whose text is kept; further ones are counted
	Stop    int // hits after which the search ends; 0 = never
	Context int // lines before and behind a hit
}

// Hit is one line that matches, or all lines that one match spans.
type Hit struct {
	Line          int      // 1-based, the first
	Lines         []string // cut at LineBytes, which they say
	Left          int      // lines of the hit beyond Lines
	Before, After []string
}

// Found is what a search of one text gave.
type Found struct {
	Hits  []Hit
	Count int
	// Binary: the bytes are no text, and nothing was looked for.
	Binary bool
}

// mostLines bounds how many lines of one hit are kept.
const mostLines = 60

// step is how many bytes an expression reads between two looks at ctx.
const step = 1 << 20

// Search looks through the bytes of a file. UTF-16 with a byte order mark and
// Latin-1 are read as such, "\r\n" ends a line as "\n" does. The bytes are not
// kept. It gives what it has when ctx ends.
func (m *Matcher) Search(ctx context.Context, b []byte, l Limits) Found {
	if m.nothing {
		return Found{}
	}
	if len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		s, _, err := text.Decode(b)
		if err != nil {
			return Found{Binary: true}
		}
		return m.decoded(ctx, []byte(s), l)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if len(m.need) > 0 && !unsure(b, m.need) {
		if at, _ := newFinder(b, m.need).from(0); at < 0 {
			return Found{}
		}
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return Found{Binary: true}
	}
	if !utf8.Valid(b) {
		s, _, err := text.Decode(b)
		if err != nil {
			return Found{Binary: true}
		}
		b = []byte(s)
	}
	return m.decoded(ctx, b, l)
}

func (m *Matcher) decoded(ctx context.Context, b []byte, l Limits) Found {
	if !m.raw && bytes.Contains(b, []byte("\r\n")) {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	s := &scan{ctx: ctx, m: m, b: b, l: l, line: 1}
	if m.multi {
		s.spans()
	} else {
		s.lines()
	}
	return s.out
}

// scan is one search of a text in UTF-8 with "\n" between lines.
type scan struct {
	ctx context.Context
	m   *Matcher
	b   []byte
	l   Limits
	out Found

	line, counted int // line is the number of the line that begins at or before counted
}

func (s *scan) lines() {
	need := s.m.need
	if unsure(s.b, need) {
		need = nil
	}
	f := newFinder(s.b, need)
	looked := 0
	for pos := 0; pos < len(s.b); {
		if pos-looked >= step {
			if looked = pos; s.ctx.Err() != nil {
				return
			}
		}
		var start, end, at, to int
		if len(need) > 0 {
			p, n := f.from(pos)
			if p < 0 {
				return
			}
			start, end = s.around(p)
			at, to = p, p+n
			if !s.m.exact {
				loc := s.m.re.FindIndex(s.b[start:end])
				if loc == nil {
					pos = end + 1
					continue
				}
				at, to = start+loc[0], start+loc[1]
			}
		} else {
			part := s.part(pos)
			loc := s.m.re.FindIndex(part)
			if loc == nil || loc[0] == len(part) && part[len(part)-1] == '\n' {
				pos += len(part)
				continue
			}
			at, to = pos+loc[0], pos+loc[1]
			start, end = s.around(at)
		}
		if !s.add(start, end, at, to) {
			return
		}
		pos = end + 1
	}
}

// part is whole lines from pos, about step bytes of them.
func (s *scan) part(pos int) []byte {
	if len(s.b)-pos <= step {
		return s.b[pos:]
	}
	if i := bytes.IndexByte(s.b[pos+step:], '\n'); i >= 0 {
		return s.b[pos : pos+step+i+1]
	}
	return s.b[pos:]
}

// around is the line that holds a place, without its end.
func (s *scan) around(p int) (start, end int) {
	start = bytes.LastIndexByte(s.b[:p], '\n') + 1
	if i := bytes.IndexByte(s.b[p:], '\n'); i >= 0 {
		return start, p + i
	}
	return start, len(s.b)
}

// spans looks on from the line behind each hit, so that lines are told once.
func (s *scan) spans() {
	for pos := 0; pos < len(s.b) && s.ctx.Err() == nil; {
		re := s.m.re
		if pos > 0 {
			re = s.m.later
		}
		loc := re.FindIndex(s.b[pos:])
		if loc == nil || pos+loc[0] == len(s.b) && s.b[len(s.b)-1] == '\n' {
			return // nothing, or what lies behind the last line
		}
		at, to := pos+loc[0], pos+loc[1]
		start, end := s.around(at)
		if to > end+1 {
			_, end = s.around(to - 1) // a line's ending belongs to it
			if s.b[to-1] == '\n' {
				end = to - 1
			}
		}
		if !s.add(start, end, at, to) {
			return
		}
		pos = end + 1
	}
}

// add notes a hit; false = enough.
func (s *scan) add(start, end, at, to int) bool {
	s.out.Count++
	if len(s.out.Hits) < s.l.Most {
		s.line += bytes.Count(s.b[s.counted:start], []byte("\n"))
		s.counted = start
		h := Hit{Line: s.line}
		h.Lines, h.Left = split(s.b[start:end], at-start, to-start)
		h.Before, h.After = s.before(start), s.after(end)
		s.out.Hits = append(s.out.Hits, h)
	}
	return s.l.Stop == 0 || s.out.Count < s.l.Stop
}

// split gives the lines of a hit, cut; the match lies at at.
func split(block []byte, at, to int) (lines []string, left int) {
	for i := 0; ; i++ {
		line, rest, more := bytes.Cut(block, []byte("\n"))
		if i < mostLines {
			lines = append(lines, clip(line, at, to))
		} else {
			left++
		}
		if !more {
			return lines, left
		}
		block, at, to = rest, 0, 0
	}
}

// LineBytes is how much of a line is kept, around the match (tools.md, read: 2,000
// characters a line).
const LineBytes = 2_000

// clip cuts a long line around its match and says so.
func clip(line []byte, at, to int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= LineBytes {
		return string(line)
	}
	at = min(at, len(line))
	from := max(0, at-(LineBytes-min(to-at, LineBytes))/2)
	from = min(from, len(line)-LineBytes)
	end := from + LineBytes
	for from > 0 && from < at && !utf8.RuneStart(line[from]) {
		from++
	}
	for end < len(line) && end > from && !utf8.RuneStart(line[end]) {
		end--
	}
	head := ""
	if from > 0 {
		head = "…"
	}
	return fmt.Sprintf("%s%s… (cut: bytes %d to %d of the %d of this line)", head, line[from:end], from+1, end, len(line))
}

func (s *scan) before(start int) []string {
	var out []string
	for len(out) < s.l.Context && start > 0 {
		from := bytes.LastIndexByte(s.b[:start-1], '\n') + 1
		out = append([]string{clip(s.b[from:start-1], 0, 0)}, out...)
		start = from
	}
	return out
}

func (s *scan) after(end int) []string {
	var out []string
	for len(out) < s.l.Context && end+1 < len(s.b) {
		_, next := s.around(end + 1)
		out = append(out, clip(s.b[end+1:next], 0, 0))
		end = next
	}
	return out
}
