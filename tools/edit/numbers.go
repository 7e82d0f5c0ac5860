package edit

import (
	"regexp"
	"strconv"
	"strings"
)

// prefix is a line number as read, cat -n and other tools put it before a line.
var prefix = regexp.MustCompile(`^[ \t]*(\d{1,9})(\t| \| ?|\| ?|: |→)`)

// bare is the prefix of an empty line whose tab was lost.
var bare = regexp.MustCompile(`^[ \t]*(\d{1,9})[ \t]*$`)

// unnumbered takes line numbers off every line of s. ok: all lines have one, all
// with the same sign behind it, and they count up by one.
func unnumbered(s string) (out, sign string, first int, ok bool) {
	body, closed := strings.CutSuffix(s, "\n")
	lines := strings.Split(body, "\n")
	for i, l := range lines {
		m := prefix.FindStringSubmatch(l)
		if m == nil {
			if m = bare.FindStringSubmatch(l); m == nil || sign == "" {
				return s, "", 0, false
			}
			m = append(m, sign)
		}
		n, err := strconv.Atoi(m[1])
		if i == 0 {
			first, sign = n, m[2]
		}
		if err != nil || n != first+i || strings.TrimRight(m[2], " ") != strings.TrimRight(sign, " ") {
			return s, "", 0, false
		}
		lines[i] = l[min(len(l), len(m[0])):]
	}
	out = strings.Join(lines, "\n")
	if closed {
		out += "\n"
	}
	return out, sign, first, true
}

// someNumbered tells whether some line of s has a number with the sign.
func someNumbered(s, sign string) bool {
	for l := range strings.SplitSeq(s, "\n") {
		if m := prefix.FindStringSubmatch(l); m != nil && strings.TrimRight(m[2], " ") == strings.TrimRight(sign, " ") {
			return true
		}
	}
	return false
}

// copied takes off fresh the line numbers that read shows, where they can be
// nothing else: a tab behind each, and they count up from the line of the place.
func copied(there, fresh string, line int) (string, bool) {
	out, sign, first, ok := unnumbered(fresh)
	if !ok || sign != "\t" || first != line || someNumbered(there, "\t") {
		return fresh, false
	}
	return out, true
}
