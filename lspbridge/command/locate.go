package command

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"companion/text"
	"companion/workspace"
)

// buffer is the open document that the place is in.
func (x *Runner) buffer(p place) (doc workspace.Snapshot, at text.Range, ok bool) {
	var r struct{ Start, End text.Position }
	doc, open := x.Workspace.Document(p.URI)
	if !open || json.Unmarshal(p.Range, &r) != nil {
		return doc, at, false
	}
	return doc, text.Range{Start: r.Start, End: r.End}, true
}

// widen gives the range of the function around a cursor; a selection, and a
// cursor that is in none, stay.
func (x *Runner) widen(p place) json.RawMessage {
	doc, at, ok := x.buffer(p)
	if !ok || x.Enclosing == nil || at.Start != at.End {
		return p.Range
	}
	lang := doc.Lang
	if lang == "" {
		lang = doc.Path
	}
	ix := text.NewIndex(doc.Text)
	start, end, ok := x.Enclosing(lang, doc.Text, ix.Offset(at.Start, x.Encoding))
	if !ok {
		return p.Range
	}
	a, b := ix.Position(start, x.Encoding), ix.Position(end, x.Encoding)
	return fmt.Appendf(nil, `{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`, a.Line, a.Character, b.Line, b.Character)
}

// mentioned finds the words after @companion in a line of a comment.
var mentioned = regexp.MustCompile(`(?i)(?:^|\s)(?:/[/*]+|#+|--|;+|%+|\*+|<!--|")\s*(?:.*\s)?@companion(?:[:,\s]\s*(.*))?$`)

// mention is what a comment in the range asks of @companion, "" when there is
// none. Lines of comment that follow at once belong to it.
func (x *Runner) mention(p place) string {
	doc, at, ok := x.buffer(p)
	if !ok {
		return ""
	}
	lines := strings.Split(doc.Text, "\n")
	last := min(at.End.Line, len(lines)-1)
	for i := max(at.Start.Line, 0); i <= last; i++ {
		m := mentioned.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		words := []string{closed(m[1])}
		for _, l := range lines[i+1:] {
			more, ok := continued(l)
			if !ok {
				break
			}
			words = append(words, more)
		}
		if s := strings.TrimSpace(strings.Join(words, " ")); s != "" {
			return s + "\n(Remove the comment that asks for this.)"
		}
	}
	return ""
}

// closed cuts off the end of a block comment.
func closed(s string) string {
	for _, end := range []string{"*/", "-->", `"""`} {
		s, _, _ = strings.Cut(s, end)
	}
	return strings.TrimSpace(s)
}

// continued gives the words of a line that is all comment.
func continued(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "#", "--", ";", "%", "*"} {
		if rest, ok := strings.CutPrefix(line, mark); ok && !strings.HasPrefix(line, "*/") {
			rest = closed(strings.TrimLeft(rest, mark))
			return rest, rest != ""
		}
	}
	return "", false
}
