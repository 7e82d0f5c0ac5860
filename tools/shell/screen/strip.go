package screen

import "unicode/utf8"

// Strip makes pieces of an output safe to show as they come: without codes,
// with newline and tab as the only control characters. Of a line that is
// rewritten by carriage returns inside one piece the last state is given.
type Strip struct {
	p    parser
	out  []byte
	line int  // where in out the present line begins
	open bool // the present line has text, of this piece or of one before
	cr   bool
}

// NewStrip is ready for the first piece.
func NewStrip() *Strip {
	s := &Strip{}
	s.p.h = s
	return s
}

// Clean gives the text of one piece.
func (s *Strip) Clean(b []byte) string {
	s.out, s.line = s.out[:0], 0
	s.p.write(b)
	return string(s.out)
}

// End gives what the last piece left open.
func (s *Strip) End() string {
	s.out, s.line = s.out[:0], 0
	s.p.end()
	return string(s.out)
}

// Skip says that bytes are missing between two pieces.
func (s *Strip) Skip() {
	s.p.reset()
	s.cr = false
}

func (s *Strip) print(r rune) {
	if s.cr {
		s.cr = false
		if len(s.out) == s.line && s.open {
			s.newline() // its first state went out with an earlier piece
		}
		s.out = s.out[:s.line]
	}
	s.open = true
	s.out = utf8.AppendRune(s.out, r)
}

func (s *Strip) plain(run []byte) {
	s.print(rune(run[0]))
	s.out = append(s.out, run[1:]...)
}

func (s *Strip) newline() {
	s.out = append(s.out, '\n')
	s.line, s.open = len(s.out), false
}

func (s *Strip) control(c byte) {
	switch c {
	case '\n':
		s.cr = false
		s.newline()
	case '\t':
		s.print('\t')
	case '\r':
		s.cr = true
	}
}

func (*Strip) csi(byte, byte, []int) {}

func (*Strip) escape(byte, byte) {}
