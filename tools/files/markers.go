package files

import (
	"strings"

	"companion/text"
)

// marks are lines by which programs mark off edits, and which models leave in
// texts by mistake.
func marks() []string {
	return []string{
		"<<<<<<< SEARCH", ">>>>>>> REPLACE", "<<<<<<< ORIGINAL", ">>>>>>> UPDATED", "*** Begin Patch", "*** End Patch", "*** End of File",
		"<old_text>", "</old_text>", "<new_text>", "</new_text>", "<old_string>", "</old_string>", "<new_string>", "</new_string>",
		"</content>", "</edit>", "</invoke>", "</parameter>",
	}
}

// Markers warns, with a leading space, of lines in after that mark off edits in
// the formats of models and that before does not have, and of a lone fence; ""
// where there are none. The text itself is the caller's to write as it is.
func Markers(before, after string) string {
	before, after = changed(before, after)
	var found []string
	for _, m := range marks() {
		if lines(after, m) > lines(before, m) {
			found = append(found, m)
		}
	}
	if more := fences(after) - fences(before); more%2 != 0 {
		found = append(found, "``` (an odd number of fences)")
	}
	if len(found) == 0 {
		return ""
	}
	return " Look at it again: the new text has lines that look like the marks of an edit, written as they are: " + strings.Join(found, ", ") + "."
}

// changed is what is left of two texts without the lines that both begin and end
// with.
func changed(a, b string) (string, string) {
	n := strings.LastIndexAny(a[:text.SameStart(a, b)], "\r\n") + 1
	a, b = a[n:], b[n:]
	n = text.SameEnd(a, b)
	if i := strings.IndexAny(a[len(a)-n:], "\r\n"); i >= 0 {
		n -= i
	} else {
		n = 0
	}
	return a[:len(a)-n], b[:len(b)-n]
}

// lines counts the lines of s that are mark, whitespace around it aside.
func lines(s, mark string) (n int) {
	for from := 0; ; {
		i := strings.Index(s[from:], mark)
		if i < 0 {
			return n
		}
		start, end := from+i, from+i+len(mark)
		from = end
		head := s[strings.LastIndexAny(s[:start], "\r\n")+1 : start]
		tail := s[end:]
		if stop := strings.IndexAny(tail, "\r\n"); stop >= 0 {
			tail = tail[:stop]
		}
		if strings.TrimSpace(head) == "" && strings.TrimSpace(tail) == "" {
			n++
		}
	}
}

// fences counts the lines of s that open or close a block of code.
func fences(s string) (n int) {
	for from := 0; ; {
		i := strings.Index(s[from:], "```")
		if i < 0 {
			return n
		}
		start := from + i
		from = start + 3
		if strings.TrimSpace(s[strings.LastIndexAny(s[:start], "\r\n")+1:start]) == "" {
			n++
			if end := strings.IndexAny(s[from:], "\r\n"); end >= 0 {
				from += end
			}
		}
	}
}
