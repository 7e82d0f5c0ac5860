package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEndsKeepLinesAndCharactersWhole(t *testing.T) {
	for name, c := range map[string]struct {
		s          string
		budget     int
		head, tail string
	}{
		"nothing left out": {"abc", 3, "abc", ""},
		"at lines":         {"one\ntwo\nthree\nfour\nfive\n", 18, "one\ntwo\n", "five\n"},
		"one line":         {strings.Repeat("x", 100), 10, "xxxxx", "xxxxx"},
		"a line end far":   {"a\n" + strings.Repeat("x", 98), 20, "a\nxxxxxxxx", "xxxxxxxxxx"},
		"characters":       {strings.Repeat("é", 50), 11, "éé", "éé"},
		"no room":          {"abc", 1, "", ""},
	} {
		head, tail := Ends(c.s, c.budget)
		if head != c.head || tail != c.tail || !utf8.ValidString(head) || !utf8.ValidString(tail) {
			t.Errorf("%s: %q, %q", name, head, tail)
		}
	}
}
