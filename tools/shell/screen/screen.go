package screen

import (
	"bytes"
	"fmt"
	"unicode"

	"golang.org/x/text/width"
)

// Bounds of a pipe's lines: how far up a program may move to rewrite, and how
// much those lines may hold, in cells.
const (
	pipeRows  = 100
	pipeCells = 128 << 10
)

// Keep is how many bytes of text that was not taken yet are kept, half of them
// from its beginning and half from its end.
const Keep = 1 << 20

// Options of New.
type Options struct {
	// Cols and Rows are the size of the terminal; 0 = a pipe, whose lines are as
	// long as they are and end with LF alone.
	Cols, Rows int
	// Reply takes what a terminal answers to a program's questions; nil = nobody.
	Reply func([]byte)
}

// Screen is what a program's output has come to.
type Screen struct {
	o    Options
	pipe bool
	p    parser
	main *grid
	alt  *grid // of a full-screen program; nil = none runs
	// dirty is the first row of main that changed since the last Take.
	dirty int
	out   *Ring // rows that changed and left main since then
	// changed: alt did since the last Take.
	changed bool
	last    rune // for REP
	cells   int  // of a pipe's rows
	cr      bool // a pipe's line is rewritten by what comes next
	redone  int
	line    []byte // scratch of leave
}

// New is an empty screen.
func New(o Options) *Screen {
	s := &Screen{o: o, pipe: o.Cols <= 0 || o.Rows <= 0, out: NewRing(Keep)}
	rows := o.Rows
	if s.pipe {
		rows = pipeRows
	}
	s.main = newGrid(rows)
	s.dirty = rows
	s.p.h = s
	return s
}

// Write takes output; it never fails.
func (s *Screen) Write(b []byte) (int, error) {
	s.p.write(b)
	return len(b), nil
}

// Gap says that n bytes are missing here.
func (s *Screen) Gap(n int64) {
	s.p.reset()
	if r := &s.main.rows[s.main.row]; len(r.cells) > 0 {
		r.goes = true // Missing begins a line
	}
	s.flush()
	s.out.Add([]byte(Missing(n)))
}

// Missing stands in a text for n bytes that were not kept.
func Missing(n int64) string {
	return fmt.Sprintf("\n[… %d bytes of output in the middle were not kept …]\n", n)
}

// End says that nothing follows.
func (s *Screen) End() { s.p.end() }

// Taken is what Take gives.
type Taken struct {
	Text string
	// Full: Text is the whole screen of a full-screen program, as it stands.
	Full bool
	// Lost bytes of text in the middle were not kept; the text says so too.
	Lost int64
	// Redone counts the states of lines that are not in Text because the program
	// wrote others over them.
	Redone int
}

// Take gives the lines that changed since the last one, in their last state,
// or the whole screen of a full-screen program that changed it.
func (s *Screen) Take() Taken {
	t := Taken{Redone: s.redone}
	s.redone = 0
	head, lost, tail := s.out.Take()
	b := append([]byte(nil), head...)
	if lost > 0 {
		b = append(b, Missing(lost)...)
		t.Lost = lost
	}
	b = s.rest(append(b, tail...))
	s.dirty = len(s.main.rows)
	t.Text = string(b)
	if s.alt != nil && s.changed {
		s.changed, t.Full = false, true
		if t.Text != "" {
			t.Text += "\n"
		}
		t.Text += s.alt.picture()
	}
	return t
}

// rest adds the rows that changed and still stand.
func (s *Screen) rest(b []byte) []byte {
	g := s.main
	end := max(g.last(), min(g.row, len(g.rows)))
	for i := s.dirty; i < end; i++ {
		r := &g.rows[i]
		b = r.appendTo(b, s.pipe || i == g.row)
		if !r.goes && (i < end-1 || i < g.row) {
			b = append(b, '\n')
		}
	}
	return b
}

// FullScreen tells whether a full-screen program has the screen, and where its
// cursor stands, from 1.
func (s *Screen) FullScreen() (on bool, row, col int) {
	if s.alt == nil {
		return false, 0, 0
	}
	return true, s.alt.row + 1, min(s.alt.col, s.o.Cols-1) + 1
}

// Line is the text of the line with the cursor, up to it.
func (s *Screen) Line() string {
	g := s.grid()
	r := row{cells: g.rows[g.row].cells[:min(g.col, len(g.rows[g.row].cells))]}
	return string(bytes.TrimSpace(r.appendTo(nil, false)))
}

// Resize gives the terminal another size.
func (s *Screen) Resize(cols, rows int) {
	if s.pipe {
		return
	}
	s.o.Cols, s.o.Rows = cols, rows
	for s.main.row >= rows {
		s.leave(&s.main.rows[0], 0)
		s.main.rows = append(s.main.rows[1:], row{})
		s.main.row--
		s.dirty = max(0, s.dirty-1)
	}
	for _, g := range []*grid{s.main, s.alt} {
		if g == nil {
			continue
		}
		for len(g.rows) < rows {
			g.rows = append(g.rows, row{})
		}
		g.rows = g.rows[:rows]
		g.top, g.bottom = 0, rows
		g.move(g.row, min(g.col, cols-1))
	}
	s.dirty = min(s.dirty, rows)
}

func (s *Screen) grid() *grid {
	if s.alt != nil {
		return s.alt
	}
	return s.main
}

// touch notes that a row is about to change.
func (s *Screen) touch(i int) {
	if s.alt != nil {
		s.changed = true
		return
	}
	s.dirty = min(s.dirty, i)
}

// leave takes a row off the top of main into what Take gives.
func (s *Screen) leave(r *row, i int) {
	if i < s.dirty {
		return // was taken as it is
	}
	s.line = r.appendTo(s.line[:0], s.pipe)
	if !r.goes {
		s.line = append(s.line, '\n')
	}
	s.out.Add(s.line)
	if cap(s.line) > 4096 {
		s.line = nil
	}
}

// flush takes all rows off main.
func (s *Screen) flush() {
	g := s.main
	end := max(g.last(), g.row)
	for i := range end {
		s.leave(&g.rows[i], i)
	}
	for i := range g.rows {
		g.rows[i] = row{}
	}
	g.move(0, 0)
	s.cells, s.dirty, s.cr = 0, len(g.rows), false
}

func (s *Screen) print(r rune) {
	if s.pipe {
		s.printLine(r)
		return
	}
	g := s.grid()
	w := cellsOf(r)
	if w == 0 {
		s.touch(g.row)
		g.rows[g.row].mark(g.col-1, r)
		return
	}
	if g.wrapping || g.col+w > s.o.Cols {
		g.rows[g.row].goes = true
		s.touch(g.row)
		g.col = 0
		s.lineFeed()
	}
	s.touch(g.row)
	line := &g.rows[g.row]
	if g.col == 0 {
		line.goes = line.goes && len(line.cells) > 0
	}
	line.set(g.col, r)
	if w == 2 && g.col+1 < s.o.Cols {
		line.set(g.col+1, covered)
	}
	g.col += w
	g.wrapping = false
	if g.col >= s.o.Cols {
		g.col, g.wrapping = s.o.Cols-1, true
	}
	s.last = r
}

// plain is print for a run of ASCII.
func (s *Screen) plain(run []byte) {
	for len(run) > 0 {
		s.print(rune(run[0])) // what a first rune may bring about
		run = run[1:]
		g := s.grid()
		line := &g.rows[g.row]
		room := s.o.Cols - 1 - g.col
		if s.pipe {
			room = pipeCells - s.cells
		}
		n := min(len(run), room)
		if n <= 0 || g.wrapping || g.col != len(line.cells) {
			continue
		}
		for _, c := range run[:n] {
			line.cells = append(line.cells, rune(c))
		}
		g.col += n
		if s.pipe {
			s.cells += n
		}
		s.last = rune(run[n-1])
		run = run[n:]
	}
}

// printLine is print for a pipe.
func (s *Screen) printLine(r rune) {
	g := s.main
	s.touch(g.row)
	line := &g.rows[g.row]
	if s.cr {
		s.cr = false
		if len(line.cells) > 0 {
			s.redone++
			s.cells -= len(line.cells)
			*line = row{}
		}
	}
	before := len(line.cells)
	line.set(g.col, r)
	s.cells += len(line.cells) - before
	g.col++
	s.last = r
	if s.cells > pipeCells {
		s.shrink()
	}
}

// shrink lets go of a pipe's first row with text; of a lone long line that is
// its beginning.
func (s *Screen) shrink() {
	g := s.main
	if g.row > 0 {
		s.cells -= len(g.rows[0].cells)
		s.scroll(0, len(g.rows), 1)
		g.row--
		return
	}
	g.rows[0].goes = true
	s.leave(&g.rows[0], 0)
	s.cells -= len(g.rows[0].cells)
	g.rows[0] = row{}
	g.col = 0
}

func cellsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// lineFeed moves down, and scrolls at the bottom.
func (s *Screen) lineFeed() {
	g := s.grid()
	g.wrapping = false
	switch {
	case g.row == g.bottom-1:
		s.scroll(g.top, g.bottom, 1)
	case g.row < len(g.rows)-1:
		g.row++
	}
}

// scroll moves rows top..bottom-1 up by n. What leaves the top of main is
// kept for Take.
func (s *Screen) scroll(top, bottom, n int) {
	g := s.grid()
	n = min(n, bottom-top)
	keep := g == s.main && top == 0
	for i := range n {
		if keep {
			s.leave(&g.rows[i], i)
			if s.pipe {
				s.cells -= len(g.rows[i].cells)
			}
		}
	}
	spare := g.rows[top].cells
	copy(g.rows[top:bottom], g.rows[top+n:bottom])
	for i := bottom - n; i < bottom; i++ {
		g.rows[i] = row{}
	}
	if cap(spare) <= 1024 {
		g.rows[bottom-1].cells = spare[:0]
	}
	switch {
	case keep && bottom == len(g.rows):
		s.dirty = max(0, s.dirty-n)
	default:
		s.touch(top)
	}
}

// sink moves rows top..bottom-1 down by n.
func (s *Screen) sink(top, bottom, n int) {
	g := s.grid()
	n = min(n, bottom-top)
	copy(g.rows[top+n:bottom], g.rows[top:bottom-n])
	for i := top; i < top+n; i++ {
		g.rows[i] = row{}
	}
	s.touch(top)
}
