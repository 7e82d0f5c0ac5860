package model

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// Preview decodes the text of a freeform call while it streams as the JSON of a
// function with one string: {"input":"…"}. The zero value is at the beginning.
type Preview struct {
	begun bool   // inside the string
	over  bool   // behind it, or what streams has another shape
	held  string // what cannot be decoded yet
}

// Add takes the next piece of JSON and gives the text that it adds, often "".
func (p *Preview) Add(piece string) string {
	p.held += piece
	if !p.begun && !p.over {
		p.enter()
	}
	if !p.begun || p.over {
		return ""
	}
	var out strings.Builder
	for p.held != "" && !p.over {
		n := p.one(&out)
		if n == 0 {
			break
		}
		p.held = p.held[n:]
	}
	return out.String()
}

// enter looks for the beginning of the string.
func (p *Preview) enter() {
	rest := strings.TrimLeft(p.held, " \t\r\n")
	for _, want := range []string{"{", `"input"`, ":", `"`} {
		have := min(len(rest), len(want))
		if rest[:have] != want[:have] {
			p.over = true
			return
		}
		if have < len(want) {
			return
		}
		rest = rest[have:]
		if want != `"` {
			rest = strings.TrimLeft(rest, " \t\r\n")
		}
	}
	p.begun, p.held = true, rest
}

// one decodes one character or escape of held and gives its length, 0 when it
// is not all there.
func (p *Preview) one(out *strings.Builder) int {
	s := p.held
	switch {
	case s[0] == '"':
		p.over = true
		return 1
	case s[0] != '\\':
		n := strings.IndexAny(s, `"\`)
		if n < 0 {
			n = len(s)
		}
		out.WriteString(s[:n])
		return n
	case len(s) < 2:
		return 0
	case s[1] != 'u':
		if plain := strings.IndexByte("nrtbf", s[1]); plain >= 0 {
			out.WriteByte("\n\r\t\b\f"[plain])
		} else {
			out.WriteByte(s[1])
		}
		return 2
	case len(s) < 6:
		return 0
	}
	r := unit(s[2:6])
	if !utf16.IsSurrogate(r) {
		out.WriteRune(r)
		return 6
	}
	if rest := s[6:]; len(rest) < 6 && strings.HasPrefix(`\u`, rest[:min(len(rest), 2)]) {
		return 0
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if whole := utf16.DecodeRune(r, unit(s[8:12])); whole != '\uFFFD' {
			out.WriteRune(whole)
			return 12
		}
	}
	out.WriteRune('\uFFFD')
	return 6
}

func unit(hex string) rune {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		return '\uFFFD'
	}
	return rune(n)
}
