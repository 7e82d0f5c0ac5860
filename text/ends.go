package text

import (
	"strings"
	"unicode/utf8"
)

// Ends are the beginning and the end of s that are shown where only about budget
// bytes can be: half of them each, cut between lines where a line ends near,
// never within a character. What is not in them is s[len(head):len(s)-len(tail)].
// A budget of len(s) or more leaves nothing out.
func Ends(s string, budget int) (head, tail string) {
	if budget >= len(s) {
		return s, ""
	}
	head, tail = s[:budget/2], s[len(s)-budget/2:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	for len(head) > 0 && !utf8.RuneStart(s[len(head)]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head, tail
}
