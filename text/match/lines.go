package match

import (
	"strings"
	"unicode"
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// trimmed tells whether TrimSpace(line) is want.
func trimmed(line, want string) bool {
	return len(line) >= len(want) && strings.TrimSpace(line) == want
}

// squeezed tells whether squeeze(line) is want, without making it.
func squeezed(line, want string) bool {
	if len(line) < len(want) {
		return false
	}
	first := true
	for word := range strings.FieldsSeq(line) {
		if !first {
			if want == "" || want[0] != ' ' {
				return false
			}
			want = want[1:]
		}
		if !strings.HasPrefix(want, word) {
			return false
		}
		want, first = want[len(word):], false
	}
	return want == ""
}

// lineCount is the number of lines of s; what follows the last line ending is
// one unless it is empty.
func lineCount(s string) int { return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1 }

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// width of an indentation in columns; tabs are tabWidth wide.
func width(indent string) (n int) {
	for _, c := range indent {
		if c == '\t' {
			n += tabWidth
		} else {
			n++
		}
	}
	return n
}

// tabWidth only has to tell deeper from shallower.
const tabWidth = 4

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// shaped tells whether the lines of b are indented against each other as those
// of a: deeper, shallower or alike from one line to the next.
func shaped(a, b []string) bool {
	last := -1
	for i := range a {
		if blank(a[i]) || blank(b[i]) {
			continue
		}
		if last >= 0 && sign(width(indentOf(a[i]))-width(indentOf(a[last]))) != sign(width(indentOf(b[i]))-width(indentOf(b[last]))) {
			return false
		}
		last = i
	}
	return true
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
