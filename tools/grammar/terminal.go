package grammar

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// terminal is what matches text by itself.
type terminal struct {
	shown string // for people and models: "*** End Patch", LF, /.+/
	re    *regexp.Regexp
	exact string // when it is nothing but this text; re is nil then
}

// match is the length of the longest match at the start of s, -1 for none.
func (t *terminal) match(s string) int {
	if t.re == nil {
		if strings.HasPrefix(s, t.exact) {
			return len(t.exact)
		}
		return -1
	}
	if at := t.re.FindStringIndex(s); at != nil {
		return at[1]
	}
	return -1
}

func newTerminal(f *file, e *expr, shown string) (*terminal, error) {
	if e.op == literal && e.flag == "" {
		return &terminal{shown: shown, exact: e.text}, nil
	}
	src, err := f.pattern(e, 0)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(`\A(?:` + src + `)`)
	if err != nil {
		return nil, fmt.Errorf("line %d: %s: %w", e.line, shown, err)
	}
	re.Longest()
	return &terminal{shown: shown, re: re}, nil
}

// pattern is a regular expression for a terminal's expansion.
func (f *file) pattern(e *expr, deep int) (string, error) {
	if deep > maxDepth {
		return "", fmt.Errorf("line %d: a terminal that contains itself", e.line)
	}
	switch e.op {
	case literal:
		return flagged(regexp.QuoteMeta(e.text), e.flag)
	case regex:
		return flagged(e.text, e.flag)
	case span:
		a, n := utf8.DecodeRuneInString(e.text)
		b, m := utf8.DecodeRuneInString(e.upTo)
		if n != len(e.text) || m != len(e.upTo) || n*m == 0 || a > b {
			return "", fmt.Errorf("line %d: the range %q to %q is none", e.line, e.text, e.upTo)
		}
		return fmt.Sprintf(`[\x{%x}-\x{%x}]`, a, b), nil
	case named:
		d, ok := f.defs[e.text]
		if !ok || !isTerminal(e.text) {
			return "", fmt.Errorf("line %d: %s is no terminal", e.line, e.text)
		}
		return f.pattern(d.body, deep+1)
	}
	parts := make([]string, len(e.kids))
	for i, k := range e.kids {
		p, err := f.pattern(k, deep+1)
		if err != nil {
			return "", err
		}
		parts[i] = p
	}
	switch e.op {
	case choice:
		return "(?:" + strings.Join(parts, "|") + ")", nil
	case repeat:
		if e.max < 0 {
			return fmt.Sprintf("(?:%s){%d,}", parts[0], e.min), nil
		}
		return fmt.Sprintf("(?:%s){%d,%d}", parts[0], e.min, e.max), nil
	}
	return "(?:" + strings.Join(parts, "") + ")", nil
}

func flagged(re, flags string) (string, error) {
	known := ""
	for _, f := range flags {
		switch f {
		case 'i', 'm', 's':
			known += string(f)
		case 'u', 'l': // of other regular expressions; nothing to do
		default:
			return "", fmt.Errorf("the flag %q of /%s/ is not known", f, re)
		}
	}
	if known == "" {
		return "(?:" + re + ")", nil
	}
	return "(?" + known + ":" + re + ")", nil
}

// common gives a terminal of Lark's common file as a regular expression.
func common(name string) (string, bool) {
	const (
		digit   = `[0-9]`
		integer = `[0-9]+`
		decimal = `(?:[0-9]+\.[0-9]*|\.[0-9]+)`
		float   = `(?:[0-9]+[eE][+-]?[0-9]+|` + decimal + `(?:[eE][+-]?[0-9]+)?)`
		number  = `(?:` + float + `|` + integer + `)`
	)
	re, ok := map[string]string{
		"DIGIT": digit, "HEXDIGIT": `[0-9a-fA-F]`, "INT": integer, "SIGNED_INT": `[+-]?` + integer,
		"DECIMAL": decimal, "FLOAT": float, "SIGNED_FLOAT": `[+-]?` + float, "NUMBER": number, "SIGNED_NUMBER": `[+-]?` + number,
		"ESCAPED_STRING": `"(?:[^"\\\n]|\\.)*"`,
		"LCASE_LETTER":   `[a-z]`, "UCASE_LETTER": `[A-Z]`, "LETTER": `[A-Za-z]`, "WORD": `[A-Za-z]+`, "CNAME": `[A-Za-z_][A-Za-z0-9_]*`,
		"WS_INLINE": `[ \t]+`, "WS": `[ \t\f\r\n]+`, "CR": `\r`, "LF": `\n`, "NEWLINE": `(?:\r?\n)+`,
		"SH_COMMENT": `#[^\n]*`, "CPP_COMMENT": `//[^\n]*`, "SQL_COMMENT": `--[^\n]*`, "C_COMMENT": `/\*(?:[^*]|\*+[^*/])*\*+/`,
	}[name]
	return re, ok
}
