package endings

import (
	"strings"

	"companion/text"
)

// Keep gives the text after, which replaces before, with before's line endings:
// where these are mixed, lines that stay keep theirs and the others get the
// most common one. A text without line endings has none to give.
func Keep(before, after string) string {
	ending, mixed := text.Ending(before)
	if ending == "" {
		return after
	}
	if !mixed {
		return text.WithEnding(after, ending)
	}
	was := text.WithEnding(before, text.LF)
	lines := split(before)
	var b strings.Builder
	at, line := 0, 0 // of was, of lines
	keep := func(to int) {
		for at < to {
			next := strings.IndexByte(was[at:to], '\n')
			if next < 0 {
				next = to - at - 1
			}
			b.WriteString(lines[line])
			at, line = at+next+1, line+1
		}
	}
	for _, e := range text.Diff(was, text.WithEnding(after, text.LF)) {
		keep(e.Start)
		b.WriteString(text.WithEnding(e.New, ending))
		line += strings.Count(was[e.Start:e.End], "\n")
		if strings.HasSuffix(was, "\n") || e.End < len(was) {
			at = e.End
			continue
		}
		at, line = e.End, len(lines)
	}
	keep(len(was))
	return b.String()
}

// split gives the lines of s with their endings.
func split(s string) (out []string) {
	for s != "" {
		i := strings.IndexAny(s, "\r\n")
		switch {
		case i < 0:
			i = len(s)
		case strings.HasPrefix(s[i:], text.CRLF):
			i += 2
		default:
			i++
		}
		out, s = append(out, s[:i]), s[i:]
	}
	return out
}
