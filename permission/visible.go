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
// and tabs inside a line stay, spaces at the end of one are shown, and a line of
// more than maxWidth characters is folded.
func VisibleLines(s string) string {
	lines := strings.Split(visible(strings.ReplaceAll(s, "\r\n", "\n"), true), "\n")
	for i, l := range lines {
		lines[i] = Folded(trailing(l), maxWidth)
	}
	return strings.Join(lines, "\n")
}

// Most characters of one line, and of a title, that a person is shown whole.
const (
	maxWidth = 1000
	maxTitle = 300
)

// Folded leaves the middle of a line out that is longer than most characters,
// and says how many are missing.
func Folded(line string, most int) string {
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	half := most / 2
	return fmt.Sprintf("%s … [%d characters not shown] … %s", string(runes[:half]), len(runes)-2*half, string(runes[len(runes)-half:]))
}

// trailing shows blanks at the end of a line; one alone is the mark of an
// unchanged empty line in a diff.
func trailing(line string) string {
	kept := strings.TrimRight(line, " \t")
	if kept == line || line == " " {
		return line
	}
	return kept + strings.NewReplacer(" ", `\x20`, "\t", `\t`).Replace(line[len(kept):])
}

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
