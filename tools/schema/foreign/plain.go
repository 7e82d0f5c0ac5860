package foreign

import (
	"strings"
	"unicode"
)

// Plain is text from outside as a model or a person may read it: characters
// that are drawn as nothing or turn the direction of writing are gone, line
// breaks and tabs stay, every other space is a plain one, and what is no UTF-8
// is U+FFFD.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case hidden(r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return r
	}, s)
}

// hidden tells of control, format, private and unassigned characters, and of
// letters that are drawn as nothing.
func hidden(r rune) bool {
	if r < 0x7F {
		return r < 0x20
	}
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800:
		return true
	}
	return unicode.Is(unicode.C, r) || unicode.Is(unicode.Variation_Selector, r)
}
