package screen

import (
	"strings"
	"unicode/utf8"
)

// covered stands in the second cell of a wide rune.
const covered = -1

// row is one line of cells. A row may be shorter than the screen is wide.
type row struct {
	cells []rune
	marks map[int]string // combining marks behind a cell
	goes  bool           // the line goes on in the next row, which is no line of its own
}

func (r *row) set(col int, c rune) {
	if col == len(r.cells) && c != covered {
		r.cells = append(r.cells, c)
		return
	}
	for len(r.cells) <= col {
		r.cells = append(r.cells, ' ')
	}
	if col+1 < len(r.cells) && r.cells[col+1] == covered { // half of a wide rune goes with the other
		r.cells[col+1] = ' '
	}
	if r.cells[col] == covered && c != covered && col > 0 {
		r.cells[col-1] = ' '
	}
	r.cells[col] = c
	delete(r.marks, col)
}

func (r *row) mark(col int, c rune) {
	if col < 0 || col >= len(r.cells) || len(r.marks[col]) > 64 {
		return
	}
	if r.marks == nil {
		r.marks = map[int]string{}
	}
	r.marks[col] += string(c)
}

func (r *row) cut(col int) {
	if col < len(r.cells) {
		r.cells = r.cells[:max(0, col)]
		r.goes = false
	}
}

// blank clears cells from..to-1.
func (r *row) blank(from, to int) {
	if to >= len(r.cells) {
		r.cut(from)
		return
	}
	for i := max(0, from); i < to; i++ {
		r.set(i, ' ')
	}
}

// insert shifts what stands at col to the right by n.
func (r *row) insert(col, n, width int) {
	if col >= len(r.cells) {
		return
	}
	r.marks = nil
	rest := append([]rune(nil), r.cells[col:]...)
	r.cells = r.cells[:col]
	for range n {
		r.cells = append(r.cells, ' ')
	}
	r.cells = append(r.cells, rest...)
	r.cut(width)
}

// remove takes n cells out at col.
func (r *row) remove(col, n int) {
	if col >= len(r.cells) {
		return
	}
	r.marks = nil
	r.cells = append(r.cells[:col], r.cells[min(len(r.cells), col+n):]...)
}

// appendTo adds the row's text, without blanks at its end unless the line goes
// on or keep says so.
func (r *row) appendTo(b []byte, keep bool) []byte {
	end := len(r.cells)
	for !r.goes && !keep && end > 0 && r.cells[end-1] == ' ' {
		end--
	}
	for i, c := range r.cells[:end] {
		if c == covered {
			continue
		}
		b = utf8.AppendRune(b, c)
		if r.marks != nil {
			b = append(b, r.marks[i]...)
		}
	}
	return b
}

// grid is one screen: of a program with a terminal, or the last lines of one
// that writes to a pipe.
type grid struct {
	rows        []row
	row, col    int
	top, bottom int // of the region that scrolls, bottom exclusive
	wrapping    bool
	saved       [2]int
}

func newGrid(rows int) *grid {
	return &grid{rows: make([]row, rows), bottom: rows}
}

// last is the index behind the last row that holds something.
func (g *grid) last() int {
	n := len(g.rows)
	for n > 0 && len(g.rows[n-1].cells) == 0 {
		n--
	}
	return n
}

// picture is the whole grid as text.
func (g *grid) picture() string {
	var b []byte
	for i := range g.rows[:g.last()] {
		b = g.rows[i].appendTo(b, false)
		b = append(b, '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

func (g *grid) move(r, c int) {
	g.row, g.col = min(max(r, 0), len(g.rows)-1), max(c, 0)
	g.wrapping = false
}
