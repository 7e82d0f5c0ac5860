package grammar

import (
	"fmt"
	"strconv"
	"strings"
)

// kind of a token of a Lark file.
type kind int

const (
	eof     kind = iota
	newline      // one or more
	name         // rule, TERMINAL, common.LF
	text         // "…" with an i behind it, perhaps
	pattern      // /…/ with flags
	number       // .2 and the numbers of ~
	punct        // : | ( ) [ ] ? * + ~ ! , -> .. %import …
)

type token struct {
	kind kind
	text string // of text and pattern: without quotes, as it stands there
	flag string // "i", "imslux"
	line int    // 1-based
}

// lex splits a Lark file into tokens.
func lex(src string) ([]token, error) {
	var out []token
	line := 1
	add := func(k kind, s, flag string) { out = append(out, token{k, s, flag, line}) }
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			if n := len(out); n > 0 && out[n-1].kind != newline {
				add(newline, "", "")
			}
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			i++
		case strings.HasPrefix(src[i:], "//") || c == '#':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '"' || c == '/':
			n := quotedLength(src[i:])
			if n == 0 {
				return nil, fmt.Errorf("line %d: %q has no end in its line", line, near(src[i:]))
			}
			k := text
			if c == '/' {
				k = pattern
			}
			body := src[i+1 : i+n-1]
			i += n
			flags := i
			for i < len(src) && strings.IndexByte("imslux", src[i]) >= 0 {
				i++
			}
			add(k, body, src[flags:i])
		case isName(c):
			start := i
			for i < len(src) && (isName(src[i]) || src[i] >= '0' && src[i] <= '9') {
				i++
			}
			add(name, src[start:i], "")
		case c >= '0' && c <= '9' || c == '-' && i+1 < len(src) && src[i+1] >= '0' && src[i+1] <= '9':
			start := i
			for i++; i < len(src) && src[i] >= '0' && src[i] <= '9'; {
				i++
			}
			add(number, src[start:i], "")
		default:
			n := punctLength(src[i:])
			if n == 0 {
				return nil, fmt.Errorf("line %d: unexpected %q", line, near(src[i:]))
			}
			add(punct, src[i:i+n], "")
			i += n
		}
	}
	add(newline, "", "")
	add(eof, "", "")
	return out, nil
}

// quotedLength is the length of "…" or /…/ at the start of s, both ends
// included, 0 where it does not end in its line.
func quotedLength(s string) int {
	class := false // in [ ] of a pattern a slash is a slash
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n':
			return 0
		case s[0] == '/' && s[i] == '[':
			class = true
		case s[0] == '/' && s[i] == ']':
			class = false
		case s[i] == s[0] && !class:
			return i + 1
		}
	}
	return 0
}

func punctLength(s string) int {
	for _, p := range []string{"%import", "%ignore", "%declare", "%override", "%extend", "->", "..", ":", "|", "(", ")", "[", "]", "?", "*", "+", "~", "!", ",", ".", "{", "}"} {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 0
}

func isName(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// isTerminal tells a TERMINAL from a rule by its name.
func isTerminal(s string) bool { return strings.ToUpper(s) == s }

func near(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), 20)]
}

// unquote gives the text of a string literal.
func unquote(body string) (string, error) {
	return strconv.Unquote(`"` + strings.ReplaceAll(body, `\/`, `/`) + `"`)
}
