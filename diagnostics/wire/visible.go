package wire

import (
	"fmt"
	"strings"
	"unicode"

	"companion/tools"
)

// Visible makes the control characters of what a server tells readable, so that
// they act on no terminal and hide nothing: C0 and DEL become their pictures
// (U+2400 on), C1 and those that turn the direction of writing "\\u…". Line
// endings and tabs stay; what is no UTF-8 becomes U+FFFD.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune(r + '\u2400')
		case r == '\x7f':
			b.WriteRune('\u2421')
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// tag is what stands in a line: Visible, in one.
func tag(s string) string {
	if s = Visible(s); strings.ContainsAny(s, "\r\n") {
		return tools.OneLine(s)
	}
	return s
}
