package screen

import "unicode/utf8"

// handler takes what a parser finds.
type handler interface {
	print(r rune)
	plain(run []byte) // printable ASCII, as by print
	control(c byte)   // C0, DEL, and C1 as its 7-bit letter is not given here
	csi(final, private byte, params []int)
	escape(between, final byte)
}

// Bounds of what a control sequence may hold; longer ones end, so that a stray
// byte of a binary file does not swallow what follows.
const (
	maxParams = 32
	maxCSI    = 256
	maxString = 256 << 10
)

type state byte

const (
	ground state = iota
	esc
	escBetween
	csiParams
	csiBetween
	text    // OSC: ends at BEL, ST, or where a line ends
	textEsc // ESC inside one
	device  // DCS, SOS, PM, APC: ends at ST
)

// parser takes bytes apart; sequences and runes may come in pieces.
type parser struct {
	h       handler
	state   state
	within  state // text or device, while in textEsc
	carry   []byte
	size    int // bytes of the present sequence
	params  []int
	private byte
	between byte
	bad     bool // the last byte was no UTF-8; a run of them is shown once
}

// reset forgets a sequence that was begun.
func (p *parser) reset() { p.state, p.carry, p.bad = ground, nil, false }

func (p *parser) write(b []byte) {
	if len(p.carry) > 0 {
		b = append(p.carry, b...)
		p.carry = nil
	}
	for len(b) > 0 {
		c := b[0]
		if c < utf8.RuneSelf {
			p.bad = false
			if n := plain(b); p.state == ground && n > 0 {
				p.h.plain(b[:n])
				b = b[n:]
				continue
			}
			p.feed(c)
			b = b[1:]
			continue
		}
		if !utf8.FullRune(b) {
			p.carry = append([]byte(nil), b...)
			return
		}
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		again := p.bad
		p.bad = r == utf8.RuneError && n == 1
		if !again || !p.bad {
			p.wide(r)
		}
	}
}

// plain counts the printable ASCII at the beginning of b.
func plain(b []byte) int {
	for i, c := range b {
		if c < 0x20 || c > 0x7e {
			return i
		}
	}
	return len(b)
}

// end says that nothing follows: what was begun of a rune is shown.
func (p *parser) end() {
	if len(p.carry) > 0 && p.state == ground && !p.bad {
		p.h.print(utf8.RuneError)
	}
	p.reset()
}

// wide takes a rune beyond ASCII; U+0080 to U+009F are controls.
func (p *parser) wide(r rune) {
	switch {
	case p.state == text || p.state == device:
		p.grow()
		if r == 0x9c {
			p.state = ground
		}
	case p.state == textEsc:
		p.state = ground
		p.wide(r)
	case r >= 0x80 && r < 0xa0:
		p.state = esc
		p.feed(byte(r) - 0x40)
	default:
		p.state = ground
		p.h.print(r)
	}
}

func (p *parser) grow() {
	if p.size++; p.size > maxString {
		p.state = ground
	}
}

func (p *parser) feed(c byte) {
	switch p.state {
	case ground:
		switch {
		case c == 0x1b:
			p.begin()
		case c < 0x20 || c == 0x7f:
			p.h.control(c)
		default:
			p.h.print(rune(c))
		}
	case text, device:
		p.inString(c)
	case textEsc:
		if c == '\\' {
			p.state = ground
			return
		}
		p.begin()
		p.feed(c)
	default:
		p.sequence(c)
	}
}

func (p *parser) begin() {
	p.state, p.size, p.private, p.between = esc, 0, 0, 0
	p.params = p.params[:0]
}

func (p *parser) inString(c byte) {
	p.grow()
	switch {
	case c == 0x1b:
		p.within, p.state = p.state, textEsc
	case c == 0x18 || c == 0x1a || c == 0x07 && p.state == text:
		p.state = ground
	case c == '\n' && p.state == text: // no title has a line end: it was none
		p.state = ground
		p.h.control(c)
	}
}

// sequence takes one byte after ESC.
func (p *parser) sequence(c byte) {
	if p.size++; p.size > maxCSI {
		p.state = ground
	}
	switch {
	case c == 0x1b:
		p.begin()
		return
	case c == 0x18 || c == 0x1a:
		p.state = ground
		return
	case c < 0x20: // controls work inside sequences
		p.h.control(c)
		return
	case c == 0x7f:
		return
	}
	switch p.state {
	case esc, escBetween:
		p.afterEsc(c)
	case csiParams, csiBetween:
		p.inCSI(c)
	}
}

func (p *parser) afterEsc(c byte) {
	switch {
	case c < 0x30:
		p.between, p.state = c, escBetween
	case p.state == escBetween:
		p.state = ground
		p.h.escape(p.between, c)
	case c == '[':
		p.state = csiParams
	case c == ']':
		p.state, p.size = text, 0
	case c == 'P' || c == 'X' || c == '^' || c == '_':
		p.state, p.size = device, 0
	default:
		p.state = ground
		p.h.escape(0, c)
	}
}

func (p *parser) inCSI(c byte) {
	switch {
	case c >= '0' && c <= '9':
		if len(p.params) == 0 {
			p.params = append(p.params, 0)
		}
		if last := &p.params[len(p.params)-1]; *last < 100_000 {
			*last = *last*10 + int(c-'0')
		}
	case c == ';' || c == ':':
		if len(p.params) == 0 {
			p.params = append(p.params, 0)
		}
		if len(p.params) < maxParams {
			p.params = append(p.params, 0)
		}
	case c >= 0x3c && c <= 0x3f:
		p.private = c
	case c < 0x30:
		p.between, p.state = c, csiBetween
	default:
		p.state = ground
		if p.between == 0 {
			p.h.csi(c, p.private, p.params)
		}
	}
}
