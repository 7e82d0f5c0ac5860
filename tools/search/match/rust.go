package match

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// Ripgrep is the pattern in ripgrep's dialect. In every text in which Search
// finds something ripgrep finds something by it, not the other way round: any
// byte that is no ASCII may stand for any character that is none, for files
// that are not UTF-8, and "\r" may stand before a line's end.
func (m *Matcher) Ripgrep() (string, bool) {
	if m.nothing || m.multi && empty(m.tree) { // ripgrep drops empty matches at a text's end
		return "", false
	}
	w := rust{multi: m.multi}
	w.write(m.tree)
	return w.b.String(), !w.lost
}

// empty tells whether an expression may match nothing.
func empty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return empty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || empty(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !empty(s) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, empty)
	}
	return true
}

// high is a byte of a file that is no UTF-8.
const high = `(?-u:[\x80-\xff])`

type rust struct {
	b     strings.Builder
	multi bool
	lost  bool // something has no counterpart
}

func (w *rust) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpNoMatch:
		w.b.WriteString(`[^\x{0}-\x{10FFFF}]`)
	case syntax.OpEmptyMatch:
		w.b.WriteString(`(?:)`)
	case syntax.OpLiteral:
		w.literal(re)
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyCharNotNL:
		w.class([]rune{0, '\n' - 1, '\n' + 1, 0x10ffff})
	case syntax.OpAnyChar:
		w.class([]rune{0, 0x10ffff})
	case syntax.OpBeginLine:
		w.b.WriteString(`(?m:^)`)
	case syntax.OpEndLine:
		w.b.WriteString(`(?:\r?(?m:$))`)
	case syntax.OpBeginText:
		w.b.WriteString(`\A`)
	case syntax.OpEndText:
		w.b.WriteString(`\z`)
	case syntax.OpWordBoundary:
		w.b.WriteString(`(?-u:\b)`)
	case syntax.OpNoWordBoundary:
		w.b.WriteString(`(?-u:\B)`)
	case syntax.OpCapture:
		w.write(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		w.repeat(re)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.b.WriteString("(?:")
		for i, sub := range re.Sub {
			if i > 0 {
				w.b.WriteByte('|')
			}
			w.write(sub)
		}
		w.b.WriteByte(')')
	default:
		w.lost = true
	}
}

func (w *rust) literal(re *syntax.Regexp) {
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		w.b.WriteString("(?i:")
	} else {
		w.b.WriteString("(?:")
	}
	for _, r := range re.Rune {
		switch {
		case r == '\n' && w.multi:
			w.b.WriteString(`\r?\n`)
		case r >= 0x80:
			fmt.Fprintf(&w.b, `(?:\x{%X}|%s)`, r, high)
		case r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == ' ':
			w.b.WriteRune(r)
		default:
			fmt.Fprintf(&w.b, `\x%02X`, r)
		}
	}
	w.b.WriteByte(')')
}

func (w *rust) class(ranges []rune) {
	w.b.WriteString("(?:[")
	beyond, ending := false, false
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		beyond = beyond || hi >= 0x80
		ending = ending || lo <= '\n' && '\n' <= hi
		w.span(lo, hi)
	}
	w.b.WriteByte(']')
	if beyond {
		w.b.WriteString("|" + high)
	}
	if ending && w.multi {
		w.b.WriteString(`|\r\n`)
	}
	w.b.WriteByte(')')
}

// span leaves surrogates out, which Rust knows no characters for.
func (w *rust) span(lo, hi rune) {
	if lo < 0xd800 && hi > 0xdfff {
		w.span(lo, 0xd7ff)
		lo = 0xe000
	}
	fmt.Fprintf(&w.b, `\x{%X}-\x{%X}`, lo, hi)
}

func (w *rust) repeat(re *syntax.Regexp) {
	if re.Sub[0].Op == syntax.OpAnyCharNotNL && (re.Op == syntax.OpStar || re.Op == syntax.OpPlus) {
		w.b.WriteString(`(?-u:[^\n])`) // the same as of characters, and quicker
	} else {
		w.b.WriteString("(?:")
		w.write(re.Sub[0])
		w.b.WriteByte(')')
	}
	switch re.Op {
	case syntax.OpStar:
		w.b.WriteByte('*')
	case syntax.OpPlus:
		w.b.WriteByte('+')
	case syntax.OpQuest:
		w.b.WriteByte('?')
	default:
		fmt.Fprintf(&w.b, "{%d", re.Min)
		if re.Max < 0 {
			w.b.WriteByte(',')
		} else if re.Max != re.Min {
			fmt.Fprintf(&w.b, ",%d", re.Max)
		}
		w.b.WriteByte('}')
	}
}
