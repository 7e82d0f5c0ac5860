package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Options of Compile.
type Options struct {
	Literal    bool // the pattern is text, not an expression
	IgnoreCase bool
	Multiline  bool // a match may span lines
}

// Matcher searches texts. It may be used by many goroutines at once.
type Matcher struct {
	re      *regexp.Regexp
	tree    *syntax.Regexp
	multi   bool
	raw     bool           // the pattern speaks of "\r", which else ends a line with "\n"
	need    []needle       // a match holds one of them; none = not known
	later   *regexp.Regexp // re behind the text's first line, where \A holds nowhere
	exact   bool           // what a needle finds is a match
	nothing bool           // nothing matches
}

// Compile reads a pattern. Its errors say what is wrong with it and what to do,
// for a model: they go on behind "the pattern X cannot be used: ".
func Compile(pattern string, o Options) (*Matcher, error) {
	if pattern == "" {
		return nil, errors.New("it is empty; to list files use `glob`")
	}
	if !utf8.ValidString(pattern) {
		return nil, errors.New("it is not valid UTF-8")
	}
	if strings.ContainsRune(pattern, 0) {
		return nil, errors.New("it holds a NUL, and files with one are taken for binary and not searched")
	}
	expr := dialect(pattern)
	if o.Literal {
		expr = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if o.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, explain(pattern, err)
	}
	if !o.Multiline {
		if tree, err = perLine(tree); err != nil {
			return nil, err
		}
	}
	m := &Matcher{tree: tree, multi: o.Multiline, raw: strings.ContainsRune(pattern, '\r') || !o.Literal && strings.Contains(pattern, `\r`)}
	simple := tree.Simplify()
	if m.nothing = simple.Op == syntax.OpNoMatch; m.nothing {
		return m, nil
	}
	if m.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, explain(pattern, err)
	}
	m.need, m.later = needles(simple), m.re
	if o.Multiline && atTop(simple) {
		if m.later, err = regexp.Compile(strings.ReplaceAll(tree.String(), `\A`, `[^\x00-\x{10FFFF}]`)); err != nil {
			return nil, explain(pattern, err)
		}
	}
	m.exact = simple.Op == syntax.OpLiteral && len(m.need) == 1 && len(m.need[0].text) == len(string(simple.Rune))
	return m, nil
}

// atTop tells whether an expression asks for the text's beginning.
func atTop(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || slices.ContainsFunc(re.Sub, atTop)
}

// explain turns a parser's error into what to do.
func explain(pattern string, err error) error {
	say := func(what string) error {
		return errors.New(what + "; to search for it as it is written set literal")
	}
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, look) {
			return say("look-around (" + look + "…)) is not supported, so search for more and pick from the hits")
		}
	}
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return say(err.Error())
	}
	switch {
	case bad.Code == syntax.ErrInvalidEscape && len(bad.Expr) > 1 && (bad.Expr[1] >= '1' && bad.Expr[1] <= '9' || bad.Expr[1] == 'k'):
		return say("backreferences (" + bad.Expr + ") are not supported")
	case strings.Contains(pattern, "(?>") || strings.Contains(pattern, "++") && bad.Code == syntax.ErrInvalidRepeatOp:
		return say("atomic groups and possessive repetition are not supported, and not needed: no pattern backtracks here")
	case bad.Code == syntax.ErrMissingParen || bad.Code == syntax.ErrUnexpectedParen:
		return say("its parentheses do not match; write \\( and \\) for ones in the text")
	case bad.Code == syntax.ErrMissingBracket:
		return say("a [ is not closed; write \\[ for one in the text")
	}
	return say(fmt.Sprintf("%s: %q", bad.Code, bad.Expr))
}

// dialect rewrites what other dialects write otherwise: \uXXXX, \u{X} and \Z.
func dialect(pattern string) string {
	var b strings.Builder
	quoted := false // within \Q…\E
	for i := 0; i < len(pattern); i++ {
		b.WriteByte(pattern[i])
		if pattern[i] != '\\' || i+1 == len(pattern) {
			continue
		}
		next, rest := pattern[i+1], pattern[min(i+2, len(pattern)):]
		if quoted {
			quoted = next != 'E'
			continue
		}
		i++
		switch {
		case next == 'u' && strings.HasPrefix(rest, "{"):
			b.WriteByte('x')
		case next == 'u' && len(rest) >= 4 && hex(rest[:4]):
			b.WriteString(`x{` + rest[:4] + `}`)
			i += 4
		case next == 'Z':
			b.WriteByte('z')
		default:
			quoted = next == 'Q'
			b.WriteByte(next)
		}
	}
	return b.String()
}

func hex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

var errNoLines = errors.New("it asks for a line ending, and lines are searched one at a time; set multiline")

// perLine rewrites an expression so that it matches within a line: classes lose
// the line ending, and what stands for the ends of the text stands for those of
// the line.
func perLine(re *syntax.Regexp) (*syntax.Regexp, error) {
	switch re.Op {
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op, re.Flags = syntax.OpEndLine, re.Flags&^(syntax.WasDollar|syntax.OneLine)
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return nil, errNoLines
			}
		}
	case syntax.OpCharClass:
		had := len(re.Rune) > 0
		if re.Rune = without(re.Rune, '\n'); len(re.Rune) == 0 && had {
			return nil, errNoLines
		}
	}
	for i, sub := range re.Sub {
		var err error
		if re.Sub[i], err = perLine(sub); err != nil {
			return nil, err
		}
	}
	return re, nil
}

// without takes one character out of a class, which is pairs of first and last.
func without(class []rune, c rune) []rune {
	out := make([]rune, 0, len(class)+2)
	for i := 0; i < len(class); i += 2 {
		lo, hi := class[i], class[i+1]
		if c < lo || c > hi {
			out = append(out, lo, hi)
			continue
		}
		if lo < c {
			out = append(out, lo, c-1)
		}
		if c < hi {
			out = append(out, c+1, hi)
		}
	}
	return out
}
