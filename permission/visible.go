package permission

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible renders text so that what a person reads is what is there: control,
// bidirectional and zero-width characters, and bytes that are no UTF-8, appear
// as escapes. Line breaks become \n.
func Visible(s string) string { return visible(s, false) }

// VisibleLines is Visible for text of several lines: line breaks (also \r\n)
// and tabs stay.
func VisibleLines(s string) string { return visible(strings.ReplaceAll(s, "\r\n", "\n"), true) }

func visible(s string, lines bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r == 0x7F:
			fmt.Fprintf(&b, `\x%02X`, r)
		case unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || blank(r):
			fmt.Fprintf(&b, `\u{%04X}`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// blank characters are drawn as nothing, or as a space that is none.
func blank(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800:
		return true
	}
	return r != ' ' && unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Variation_Selector, r)
}
