package fake

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

// lines splits a text at \n, \r\n and \r, endings kept.
func lines(text string) []string {
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

// offset converts a position strictly: outside the text, past the end of a
// line or inside a code point is an error.
func offset(text string, p Position, encoding string) (int, error) {
	all := lines(text)
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
		units += width(r, encoding)
	}
	if units == p.Character {
		return at + len(line), nil
	}
	return 0, fmt.Errorf("position %d:%d (0-based, %s) lies past the end of its line of %d", p.Line, p.Character, encoding, units)
}

// position is the inverse of offset; off must be a boundary inside text.
func position(text string, off int, encoding string) Position {
	all := lines(text)
	line := 0
	for line+1 < len(all) && off >= len(all[line]) {
		off -= len(all[line])
		line++
	}
	units := 0
	for _, r := range all[line][:off] {
		units += width(r, encoding)
	}
	return Position{line, units}
}

func width(r rune, encoding string) int {
	switch encoding {
	case "utf-8":
		return utf8.RuneLen(r)
	case "utf-32":
		return 1
	}
	return utf16.RuneLen(r)
}

// span is an edit by bytes.
type span struct {
	start, end int
	text       string
	edit       TextEdit
}

// resolve turns edits into spans in order of place, and refuses overlaps,
// reversed ranges and positions outside.
func resolve(text string, edits []TextEdit, encoding string) ([]span, error) {
	spans := make([]span, len(edits))
	for i, e := range edits {
		s, err := offset(text, e.Range.Start, encoding)
		if err != nil {
			return nil, fmt.Errorf("edit %d: start: %w", i, err)
		}
		f, err := offset(text, e.Range.End, encoding)
		if err != nil {
			return nil, fmt.Errorf("edit %d: end: %w", i, err)
		}
		if f < s {
			return nil, fmt.Errorf("edit %d: its range %s is reversed", i, e.Range)
		}
		spans[i] = span{s, f, e.NewText, e}
	}
	sort.SliceStable(spans, func(a, b int) bool { return spans[a].start < spans[b].start })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return nil, fmt.Errorf("edits at %s and %s overlap", spans[i-1].edit.Range, spans[i].edit.Range)
		}
	}
	return spans, nil
}

func splice(text string, spans []span) string {
	var b strings.Builder
	last := 0
	for _, s := range spans {
		b.WriteString(text[last:s.start])
		b.WriteString(s.text)
		last = s.end
	}
	b.WriteString(text[last:])
	return b.String()
}
