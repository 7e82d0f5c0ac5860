package screen

import "fmt"

// control takes a control character.
func (s *Screen) control(c byte) {
	g := s.grid()
	switch c {
	case '\n', '\v', '\f':
		if s.pipe {
			s.newline()
			return
		}
		s.touch(g.row)
		g.rows[g.row].goes = false
		s.lineFeed()
	case '\r':
		g.col, g.wrapping = 0, false
		s.cr = s.pipe
	case '\b':
		if g.col > 0 {
			g.col--
		}
		g.wrapping = false
	case '\t':
		if s.pipe {
			s.printLine('\t')
			return
		}
		g.col, g.wrapping = min((g.col/8+1)*8, s.o.Cols-1), false
	case 0x07, 0x0e, 0x0f: // bell and other character sets
	case 0x7f:
		if s.pipe {
			s.printLine('␡')
		}
	default:
		if s.pipe { // a binary file: NUL and its kin are shown
			s.printLine('␀' + rune(c))
		}
	}
}

// newline ends a pipe's line.
func (s *Screen) newline() {
	g := s.main
	s.cr = false
	s.touch(g.row)
	g.col = 0
	if g.row < len(g.rows)-1 {
		g.row++
		return
	}
	s.scroll(0, len(g.rows), 1)
}

func (s *Screen) escape(between, final byte) {
	if between != 0 || s.pipe {
		return // character sets, and what moves no pipe
	}
	g := s.grid()
	switch final {
	case 'D':
		s.lineFeed()
	case 'E':
		g.col = 0
		s.lineFeed()
	case 'M':
		if g.row == g.top {
			s.sink(g.top, g.bottom, 1)
		} else {
			g.move(g.row-1, g.col)
		}
	case '7':
		g.saved = [2]int{g.row, g.col}
	case '8':
		g.move(g.saved[0], g.saved[1])
	case 'c':
		s.leaveAlt()
		s.flush()
	}
}

// param is the i-th parameter, or what stands for none.
func param(params []int, i, none int) int {
	if i < len(params) && params[i] > 0 {
		return params[i]
	}
	return none
}

func (s *Screen) csi(final, private byte, params []int) {
	if private != 0 {
		s.private(final, private, params)
		return
	}
	g, n := s.grid(), param(params, 0, 1)
	switch final {
	case 'A', 'F':
		g.move(g.row-n, g.col)
	case 'B', 'E', 'e':
		g.move(g.row+n, g.col)
	case 'C', 'a':
		g.move(g.row, g.col+n)
	case 'D':
		g.move(g.row, g.col-n)
	case 'G', '`':
		g.move(g.row, n-1)
	case 'd':
		g.move(n-1, g.col)
	case 'H', 'f':
		if s.pipe { // no place on a pipe: what was is kept
			s.flush()
			return
		}
		g.move(n-1, param(params, 1, 1)-1)
	case 'n', 'c':
		s.answer(final, params)
	default:
		s.change(final, params)
	}
	if final == 'F' || final == 'E' {
		g.col = 0
	}
	if !s.pipe {
		g.col = min(g.col, s.o.Cols-1)
	} else {
		g.col = min(g.col, max(len(g.rows[g.row].cells), 1000))
		s.cr = s.cr && g.col == 0
	}
}

// change takes the codes that change what stands there.
func (s *Screen) change(final byte, params []int) {
	g, n := s.grid(), param(params, 0, 1)
	r := &g.rows[g.row]
	switch final {
	case 'J':
		s.eraseScreen(param(params, 0, 0))
	case 'K':
		s.eraseLine(param(params, 0, 0))
	case '@':
		s.touch(g.row)
		r.insert(g.col, min(n, 1000), s.wide())
	case 'P':
		s.touch(g.row)
		r.remove(g.col, n)
	case 'X':
		s.touch(g.row)
		r.blank(g.col, g.col+n)
	case 'b':
		for range min(n, 1000) {
			if s.last != 0 {
				s.print(s.last)
			}
		}
	}
	if s.pipe {
		return
	}
	switch final {
	case 'L':
		if g.row >= g.top && g.row < g.bottom {
			s.sink(g.row, g.bottom, n)
		}
	case 'M':
		if g.row >= g.top && g.row < g.bottom {
			s.scroll(g.row, g.bottom, n)
		}
	case 'S':
		s.scroll(g.top, g.bottom, n)
	case 'T':
		s.sink(g.top, g.bottom, n)
	case 'r':
		top, bottom := param(params, 0, 1)-1, min(param(params, 1, len(g.rows)), len(g.rows))
		if top < bottom {
			g.top, g.bottom = top, bottom
			g.move(0, 0)
		}
	case 's':
		g.saved = [2]int{g.row, g.col}
	case 'u':
		g.move(g.saved[0], g.saved[1])
	}
}

func (s *Screen) wide() int {
	if s.pipe {
		return pipeCells
	}
	return s.o.Cols
}

func (s *Screen) eraseLine(how int) {
	g := s.grid()
	r := &g.rows[g.row]
	s.touch(g.row)
	before := len(r.cells)
	switch how {
	case 0:
		r.cut(g.col)
	case 1:
		r.blank(0, g.col+1)
	case 2:
		r.cut(0)
	}
	if s.pipe {
		s.cells += len(r.cells) - before
		if s.cr && before > 0 {
			s.redone++
		}
	}
}

// eraseScreen clears. Of a terminal without a full-screen program, and of a
// pipe, what was there is kept for Take.
func (s *Screen) eraseScreen(how int) {
	g := s.grid()
	if how >= 2 && s.alt == nil {
		row, col := g.row, g.col
		s.flush()
		if !s.pipe {
			g.move(row, col)
		}
		return
	}
	from, to := 0, len(g.rows)
	switch how {
	case 0:
		s.eraseLine(0)
		from = g.row + 1
	case 1:
		s.eraseLine(1)
		to = g.row
	}
	for i := from; i < to; i++ {
		if len(g.rows[i].cells) > 0 {
			s.touch(i)
			if s.pipe {
				s.cells -= len(g.rows[i].cells)
			}
			g.rows[i] = row{}
		}
	}
}

// private takes codes of terminals that ECMA-48 does not name.
func (s *Screen) private(final, private byte, params []int) {
	if s.pipe {
		return
	}
	switch {
	case private == '?' && (final == 'h' || final == 'l'):
		for _, p := range params {
			if p == 47 || p == 1047 || p == 1049 {
				s.switchTo(final == 'h')
			}
		}
	case private == '>' && final == 'c':
		s.reply("\x1b[>0;0;0c")
	case private == '?' && final == 'n' && param(params, 0, 0) == 6:
		s.reply(fmt.Sprintf("\x1b[?%d;%dR", s.grid().row+1, s.grid().col+1))
	}
}

func (s *Screen) switchTo(alt bool) {
	switch {
	case alt && s.alt == nil:
		s.main.saved = [2]int{s.main.row, s.main.col}
		s.alt, s.changed = newGrid(s.o.Rows), true
	case !alt:
		s.leaveAlt()
	}
}

func (s *Screen) leaveAlt() {
	if s.alt != nil {
		s.alt, s.changed = nil, false
		s.main.move(s.main.saved[0], s.main.saved[1])
	}
}

// answer replies to questions that programs wait on.
func (s *Screen) answer(final byte, params []int) {
	g := s.grid()
	switch n := param(params, 0, 0); {
	case final == 'c' && n == 0:
		s.reply("\x1b[?1;2c")
	case final == 'n' && n == 5:
		s.reply("\x1b[0n")
	case final == 'n' && n == 6:
		s.reply(fmt.Sprintf("\x1b[%d;%dR", g.row+1, g.col+1))
	}
}

func (s *Screen) reply(text string) {
	if s.o.Reply != nil && !s.pipe {
		s.o.Reply([]byte(text))
	}
}
