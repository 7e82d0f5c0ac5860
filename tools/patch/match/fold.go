package match

import "strings"

// Pass is how exactly lines were compared.
type Pass int

// The passes, in the order in which they are tried.
const (
	Exact    Pass = iota
	Trailing      // white space at the end of a line does not count
	Trimmed       // nor at its beginning
	Folded        // nor which quotes, dashes and spaces are used
	Healed        // \" in the patch stands for "
	passes
)

func (p Pass) String() string {
	return [...]string{
		"exactly", "but for white space at the ends of lines", "but for indentation",
		"but for typographic punctuation", "but for backslashes before quotes",
	}[p]
}

const blanks = " \t\v\f\u00a0\u2002\u2003\u2009\u200a\u202f\u3000\ufeff"

// ofFile brings a line of the file to what a pass compares.
func (p Pass) ofFile(s string) string {
	switch p {
	case Exact:
		return s
	case Trailing:
		return strings.TrimRight(s, blanks)
	case Trimmed:
		return strings.Trim(s, blanks)
	}
	return fold(strings.Trim(s, blanks))
}

// ofPatch is ofFile for a line of the patch.
func (p Pass) ofPatch(s string) string {
	if p == Healed {
		s = unescape(s)
	}
	return p.ofFile(s)
}

// unescape takes back what a model escaped as if it wrote JSON.
func unescape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, `\"`, `"`), `\'`, `'`)
}

// fold writes typographic punctuation as ASCII.
func fold(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '‐', '‑', '‒', '–', '—', '―', '−':
			b.WriteByte('-')
		case '‘', '’', '‚', '‛', '′':
			b.WriteByte('\'')
		case '“', '”', '„', '‟', '″':
			b.WriteByte('"')
		case '\u00a0', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200a', '\u202f', '\u205f', '\u3000':
			b.WriteByte(' ')
		case '…':
			b.WriteString("...")
		case '\u200b', '\ufeff':
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
