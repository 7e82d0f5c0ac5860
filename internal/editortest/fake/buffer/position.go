package buffer

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Position is an LSP position: 0-based line, 0-based character in units of the
// connection's position encoding.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is half open.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

func (r Range) String() string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
}

// TextEdit is an LSP text edit.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// Lines splits a text at \n, \r\n and \r, endings kept.
func Lines(text string) []string {
	var out []string
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return append(out, text)
		}
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		out = append(out, text[:i+1])
		text = text[i+1:]
	}
}

// Offset converts a position strictly: outside the text, past the end of a
// line or inside a code point is an error.
func Offset(text string, p Position, encoding string) (int, error) {
	all := Lines(text)
	if p.Line < 0 || p.Line >= len(all) || p.Character < 0 {
		return 0, fmt.Errorf("position %d:%d (0-based) lies outside the %d lines", p.Line, p.Character, len(all))
	}
	at := 0
	for _, l := range all[:p.Line] {
		at += len(l)
	}
	line := strings.TrimRight(all[p.Line], "\r\n")
	units := 0
	for i, r := range line {
		if units == p.Character {
			return at + i, nil
		}
		if units > p.Character {
			return 0, fmt.Errorf("position %d:%d (0-based, %s) lies inside a character", p.Line, p.Character, encoding)
		}
		units += Width(r, encoding)
	}
	if units == p.Character {
		return at + len(line), nil
	}
	return 0, fmt.Errorf("position %d:%d (0-based, %s) lies past the end of its line of %d", p.Line, p.Character, encoding, units)
}

// PositionOf is the inverse of offset; off must be a boundary inside text.
func PositionOf(text string, off int, encoding string) Position {
	all := Lines(text)
	line := 0
	for line+1 < len(all) && off >= len(all[line]) {
		off -= len(all[line])
		line++
	}
	units := 0
	for _, r := range all[line][:off] {
		units += Width(r, encoding)
	}
	return Position{line, units}
}

func Width(r rune, encoding string) int {
	switch encoding {
	case "utf-8":
		return utf8.RuneLen(r)
	case "utf-32":
		return 1
	}
	return utf16.RuneLen(r)
}

// Span is an edit by bytes.
type Span struct {
	Start, End int
	Text       string
	Edit       TextEdit
}

// Resolve turns edits into spans in order of place, and refuses overlaps,
// reversed ranges and positions outside.
func Resolve(text string, edits []TextEdit, encoding string) ([]Span, error) {
	spans := make([]Span, len(edits))
	for i, e := range edits {
		s, err := Offset(text, e.Range.Start, encoding)
		if err != nil {
			return nil, fmt.Errorf("edit %d: start: %w", i, err)
		}
		f, err := Offset(text, e.Range.End, encoding)
		if err != nil {
			return nil, fmt.Errorf("edit %d: end: %w", i, err)
		}
		if f < s {
			return nil, fmt.Errorf("edit %d: its range %s is reversed", i, e.Range)
		}
		spans[i] = Span{s, f, e.NewText, e}
	}
	sort.SliceStable(spans, func(a, b int) bool { return spans[a].Start < spans[b].Start })
	for i := 1; i < len(spans); i++ {
		if spans[i].Start < spans[i-1].End {
			return nil, fmt.Errorf("edits at %s and %s overlap", spans[i-1].Edit.Range, spans[i].Edit.Range)
		}
	}
	return spans, nil
}

func Splice(text string, spans []Span) string {
	var b strings.Builder
	last := 0
	for _, s := range spans {
		b.WriteString(text[last:s.Start])
		b.WriteString(s.Text)
		last = s.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// Replays tells whether the spans, sent one after the other from the end to the
// start, give after. They do not where a span joins a \r to a \n, which makes
// one line ending of two.
func Replays(before, after string, spans []Span, encoding string) bool {
	for i := len(spans) - 1; i >= 0; i-- {
		one, err := Resolve(before, []TextEdit{spans[i].Edit}, encoding)
		if err != nil {
			return false
		}
		before = Splice(before, one)
	}
	return before == after
}

// NotMinimal says why edits are no minimal line edits: one replaces all of a
// text of which lines stay, or changes nothing.
func NotMinimal(before, after string, spans []Span) string {
	if before == after {
		return "the edit changes nothing"
	}
	for _, s := range spans {
		if s.Start != 0 || s.End != len(before) || before == "" {
			continue
		}
		old := Lines(before)
		kept := Lines(after)
		if len(old) > 1 && (old[0] == kept[0] || strings.TrimSpace(old[len(old)-1]) != "" && old[len(old)-1] == kept[len(kept)-1]) {
			return "the whole file is replaced although lines of it stay"
		}
	}
	return ""
}
