package pdf

import (
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// font is one font of a page. Its widths are asked for once: the parser reads
// the whole table for every letter.
type font struct {
	enc    pdf.TextEncoding
	f      pdf.Font
	widths map[byte]float64 // thousandths of the size
	wide   bool             // has widths: fonts with codes of two bytes give none
}

// writer follows the text operators of a page (ISO 32000-1, 9.4) as far as it
// takes to see where words and lines end.
type writer struct {
	page  pdf.Page
	fonts map[string]*font
	font  *font
	b     strings.Builder

	size, leading, space, scale float64
	tm, line                    [6]float64

	drawn      bool    // something stands before
	endX, endY float64 // where the last letter ended, in text space
}

// text is what a page says, in the order in which it draws it. Many files have
// no spaces, only gaps.
func text(p pdf.Page) string {
	contents := p.V.Key("Contents")
	if contents.Kind() == pdf.Null {
		return ""
	}
	w := &writer{page: p, fonts: map[string]*font{}, scale: 1}
	pdf.Interpret(contents, w.operator)
	return strings.TrimSpace(strings.ToValidUTF8(w.b.String(), "\uFFFD"))
}

func (w *writer) operator(stack *pdf.Stack, op string) {
	args := make([]pdf.Value, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	num := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	switch op {
	case "BT":
		w.tm = [6]float64{1, 0, 0, 1, 0, 0}
		w.line = w.tm
	case "Tf":
		if len(args) == 2 {
			w.font, w.size = w.named(args[0].Name()), num(1)
		}
	case "TL":
		w.leading = num(0)
	case "Tc":
		w.space = num(0)
	case "Tz":
		w.scale = num(0) / 100
	case "Td":
		w.move(num(0), num(1))
	case "TD":
		w.leading = -num(1)
		w.move(num(0), num(1))
	case "T*":
		w.move(0, -w.leading)
	case "Tm":
		for i := range w.tm {
			w.tm[i] = num(i)
		}
		w.line = w.tm
	case "'", "\"":
		w.move(0, -w.leading)
		if len(args) > 0 {
			w.show(args[len(args)-1].RawString())
		}
	case "Tj":
		if len(args) == 1 {
			w.show(args[0].RawString())
		}
	case "TJ":
		if len(args) == 1 {
			w.array(args[0])
		}
	}
}

func (w *writer) array(v pdf.Value) {
	for i := range v.Len() {
		x := v.Index(i)
		switch x.Kind() {
		case pdf.String:
			w.show(x.RawString())
		case pdf.Integer, pdf.Real:
			w.advance(-x.Float64() / 1000 * w.size * w.scale)
			if w.font != nil && !w.font.wide && x.Float64() < -180 {
				w.gap()
			}
		}
	}
}

func (w *writer) named(name string) *font {
	if f, ok := w.fonts[name]; ok {
		return f
	}
	f := &font{f: w.page.Font(name), widths: map[byte]float64{}}
	f.enc = f.f.Encoder()
	f.wide = f.f.V.Key("Subtype").Name() != "Type0" && f.f.V.Key("Widths").Len() > 0
	w.fonts[name] = f
	return f
}

// move goes to a new line, from the beginning of this one.
func (w *writer) move(x, y float64) {
	w.line[4] += x*w.line[0] + y*w.line[2]
	w.line[5] += x*w.line[1] + y*w.line[3]
	w.tm = w.line
}

func (w *writer) advance(x float64) {
	w.tm[4] += x * w.tm[0]
	w.tm[5] += x * w.tm[1]
}

func (w *writer) show(raw string) {
	if w.font == nil || raw == "" {
		return
	}
	s := raw
	if w.font.enc != nil {
		s = w.font.enc.Decode(raw)
	}
	em := math.Max(math.Abs(w.size)*math.Max(math.Hypot(w.tm[0], w.tm[1]), 0.001), 0.1)
	switch apart := math.Abs(w.tm[5] - w.endY); {
	case !w.drawn:
	case apart > em*2:
		w.b.WriteString("\n\n")
	case apart > em*0.5:
		w.b.WriteString("\n")
	case w.font.wide && w.tm[4]-w.endX > em*0.15:
		w.gap()
	}
	w.b.WriteString(s)
	w.advance(w.width(raw, s))
	w.drawn, w.endX, w.endY = true, w.tm[4], w.tm[5]
}

// width of a string in text space; a guess where the font gives none.
func (w *writer) width(raw, s string) float64 {
	if !w.font.wide {
		return 0.5 * w.size * w.scale * float64(len([]rune(s)))
	}
	total := 0.0
	for i := range len(raw) {
		c := raw[i]
		v, ok := w.font.widths[c]
		if !ok {
			v = w.font.f.Width(int(c))
			w.font.widths[c] = v
		}
		total += v/1000*w.size + w.space
	}
	return total * w.scale
}

// gap writes a space, unless one stands there.
func (w *writer) gap() {
	if s := w.b.String(); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") {
		w.b.WriteString(" ")
	}
}
