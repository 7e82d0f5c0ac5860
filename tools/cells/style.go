package cells

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// style is how a notebook is written.
type style struct {
	unit    string // one level of indentation; "" with compact
	newline string
	compact bool   // all in one line
	colon   string // between key and value
	comma   string // between members of a compact document
	ascii   bool   // all else is escaped
}

// styleOf looks at how a document is written.
func styleOf(text string, top []member, b *book) style {
	s := style{newline: "\n", unit: " ", colon: ": ", comma: ","}
	if strings.Contains(text, "\r\n") {
		s.newline = "\r\n"
	}
	if len(top) > 0 {
		m := top[0]
		s.colon = text[quoted(text, m.key):m.value.start]
		open := blanks(text, 0)
		space := text[open+1 : m.key]
		if i := strings.LastIndexAny(space, "\r\n"); i >= 0 {
			s.unit = space[i+1:]
		} else {
			s.compact, s.unit = true, ""
			if len(top) > 1 && top[1].key > 0 && text[top[1].key-1] == ' ' {
				s.comma = ", "
			}
		}
	}
	if len(b.cells) == 0 && s.unit == "" && !s.compact {
		s.unit = " "
	}
	plain := true
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	s.ascii = plain && strings.Contains(text, `\u`) && !onlyControls(text)
	return s
}

// onlyControls tells whether every \u escape of a text stands for a control
// character, which has no other form.
func onlyControls(text string) bool {
	for i := 0; ; {
		n := strings.Index(text[i:], `\u`)
		if n < 0 {
			return true
		}
		i += n + 2
		if !strings.HasPrefix(text[i:], "00") || i+3 <= len(text) && text[i+2] > '1' {
			return false
		}
	}
}

// quote is a text as a JSON string.
func (s style) quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return `""` // cannot be: it is a string
	}
	out := strings.TrimSuffix(b.String(), "\n")
	if !s.ascii {
		return out
	}
	var ascii strings.Builder
	for _, r := range out {
		switch {
		case r < utf8.RuneSelf:
			ascii.WriteRune(r)
		case r > 0xFFFF:
			hi, lo := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			ascii.WriteString(escape(hi) + escape(lo))
		default:
			ascii.WriteString(escape(r))
		}
	}
	return ascii.String()
}

func escape(r rune) string {
	const hex = "0123456789abcdef"
	return `\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
}

// source is a cell's text as a value: a list of lines, each with its ending, or
// one string, at a depth of indentation.
func (s style) source(text string, list bool, indent string) string {
	if !list {
		return s.quote(text)
	}
	if text == "" {
		return "[]"
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, l := range lines {
		lines[i] = s.quote(l)
	}
	return s.wrap("[", lines, "]", indent)
}

// wrap puts items between brackets, one a line where the document is written so;
// indent is that of the line with the opening one.
func (s style) wrap(open string, items []string, end, indent string) string {
	if s.compact {
		return open + strings.Join(items, s.comma) + end
	}
	inner := s.newline + indent + s.unit
	return open + inner + strings.Join(items, ","+inner) + s.newline + indent + end
}
