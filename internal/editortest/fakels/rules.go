package fakels

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Rules are what the server finds and how it misbehaves.
type Rules struct {
	Words            []Word
	Delay            time.Duration
	Silent           bool
	SilentInitialize bool
	DieOn            string // "" = never
}

// Word is one rule.
type Word struct {
	Severity int // as in LSP
	Text     string
	Message  string
	Fix      *string // nil = none
}

// Parse reads rules.
func Parse(text string) (*Rules, error) {
	r := &Rules{}
	for i, line := range strings.Split(text, "\n") {
		if err := r.parse(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("rules, line %d, %s: %w", i+1, line, err)
		}
	}
	return r, nil
}

func (r *Rules) parse(line string) (err error) {
	if line == "" || line[0] == '#' {
		return nil
	}
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "silent":
		r.Silent = true
	case "silent-initialize":
		r.SilentInitialize = true
	case "delay":
		r.Delay, err = time.ParseDuration(rest)
	case "die-on":
		r.DieOn, err = strconv.Unquote(rest)
	case "error", "warning":
		w := Word{Severity: 1}
		if verb == "warning" {
			w.Severity = 2
		}
		if w.Text, rest, err = quoted(rest); err != nil {
			return err
		}
		if w.Message, rest, err = quoted(rest); err != nil {
			return err
		}
		if fix, ok := strings.CutPrefix(strings.TrimSpace(rest), "fix "); ok {
			text, _, err := quoted(fix)
			if err != nil {
				return err
			}
			w.Fix = &text
		}
		r.Words = append(r.Words, w)
	default:
		return fmt.Errorf("no such rule")
	}
	return err
}

func quoted(s string) (word, rest string, err error) {
	s = strings.TrimSpace(s)
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", err
	}
	word, err = strconv.Unquote(q)
	return word, s[len(q):], err
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
	fix      *string
	word     string
}

// check finds the problems of a text. Words are whole words.
func (r *Rules) check(text string) []diagnostic {
	out := []diagnostic{}
	for n, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		for _, w := range r.Words {
			for at := 0; ; {
				i := strings.Index(line[at:], w.Text)
				if i < 0 {
					break
				}
				start, end := at+i, at+i+len(w.Text)
				at = end
				if letter(line[:start], true) || letter(line[end:], false) {
					continue
				}
				out = append(out, diagnostic{
					Range:    span{position{n, units(line[:start])}, position{n, units(line[:end])}},
					Severity: w.Severity, Source: "fakels", Message: w.Message, fix: w.Fix, word: w.Text,
				})
			}
		}
	}
	return out
}

func letter(s string, last bool) bool {
	if s == "" {
		return false
	}
	c := s[0]
	if last {
		c = s[len(s)-1]
	}
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }
