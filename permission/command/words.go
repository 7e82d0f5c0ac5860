package command

import (
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words that one word with braces may become.
const maxBraces = 64

// words gives what one written word becomes: more than one only by braces.
func (w *walker) words(word *syntax.Word) []Word {
	w.nested(word)
	if !strings.Contains(literals(word), "{") {
		return []Word{w.literal(word)}
	}
	if strings.Count(literals(word), "{") > maxBraces {
		w.unclear("braces make several words of one")
		return []Word{{Text: w.source(word)}}
	}
	split := *word
	split.Parts = append([]syntax.WordPart(nil), word.Parts...)
	if !syntax.SplitBraces(&split) {
		one := w.literal(word)
		if one.Text != "{}" {
			one.Known = false
		}
		return []Word{one}
	}
	w.unclear("braces make several words of one")
	var out []Word
	for each, err := range expand.BracesSeq(nil, &split) {
		if err != nil || len(out) == maxBraces {
			return []Word{{Text: w.source(word)}}
		}
		out = append(out, w.literal(each))
	}
	return out
}

// literals joins the unquoted text of a word.
func literals(word *syntax.Word) string {
	var b strings.Builder
	for _, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
	}
	return b.String()
}

// literal is the text of a word that expands to itself.
func (w *walker) literal(word *syntax.Word) Word {
	var b strings.Builder
	glob, sure := false, true
	for i, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, pattern := unquote(p.Value)
			glob = glob || pattern
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				home, err := os.UserHomeDir()
				if rest, ok := strings.CutPrefix(text, "~"); ok && err == nil && (rest == "" || rest[0] == '/') {
					text = home + rest
				}
				return Word{Text: text}
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				w.unclear("a $'…' is decoded")
				decoded, ok := ansi(text)
				if !ok {
					return Word{Text: w.source(word)}
				}
				text = decoded
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			if p.Dollar {
				w.unclear(`a $"…" is translated`)
			}
			for _, q := range p.Parts {
				text, ok := w.inQuotes(q)
				if !ok {
					if text, ok = w.place(q); !ok {
						return Word{Text: w.source(word)}
					}
					sure = false
				}
				b.WriteString(text)
			}
		default:
			text, ok := w.place(p)
			if !ok {
				return Word{Text: w.source(word)}
			}
			b.WriteString(text)
			sure = false
		}
	}
	if glob && b.String() != "[" {
		return Word{Text: b.String(), Glob: true}
	}
	return Word{Text: b.String(), Known: sure}
}

// place is what $HOME and $PWD most likely stand for, so that a secret named by
// them is seen.
func (w *walker) place(part syntax.WordPart) (string, bool) {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 {
		return "", false
	}
	switch p.Param.Value {
	case "HOME":
		home, err := os.UserHomeDir()
		return home, err == nil
	case "PWD":
		return w.dirs[len(w.dirs)-1], true
	}
	return "", false
}

// inQuotes is the text of one part between double quotes. A substitution that
// only prints a here-document of literal text is that text (HB-144).
func (w *walker) inQuotes(part syntax.WordPart) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		return unquoteDouble(p.Value), true
	case *syntax.CmdSubst:
		if text, ok := printed(p); ok {
			return text, true
		}
	}
	return "", false
}

// printed is what $(cat <<'EOF' … EOF) gives.
func printed(p *syntax.CmdSubst) (string, bool) {
	if len(p.Stmts) != 1 || p.TempFile || p.ReplyVar {
		return "", false
	}
	s := p.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Coprocess || s.Disown || s.Negated || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(s.Redirs) != 1 {
		return "", false
	}
	text, ok := heredoc(s.Redirs[0])
	return strings.TrimRight(text, "\n"), ok
}

// heredoc is the literal body of a here-document: one in which the shell
// expands nothing.
func heredoc(r *syntax.Redirect) (string, bool) {
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc || r.N != nil || r.Hdoc == nil {
		return "", false
	}
	quoted := r.Word.Lit() == "" || strings.Contains(r.Word.Lit(), `\`)
	var b strings.Builder
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || !quoted && strings.Contains(lit.Value, `\`) {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	return b.String(), true
}

// unquote removes the backslashes that the shell removes outside quotes, and
// tells whether what remains is a pattern.
func unquote(s string) (text string, glob bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i+1 < len(s) {
				i++
				if s[i] == '\n' {
					continue
				}
			}
		case '*', '?', '[':
			glob = true
		}
		b.WriteByte(s[i])
	}
	return b.String(), glob
}

func unquoteDouble(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansi decodes the inside of $'…' as bash does; false for what it does not know.
func ansi(s string) (string, bool) {
	plain := map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if c, ok := plain[s[i]]; ok {
			b.WriteByte(c)
			continue
		}
		from, most, radix := i+1, 2, 16
		switch {
		case s[i] == 'x':
		case s[i] == 'u':
			most = 4
		case s[i] == 'U':
			most = 8
		case s[i] >= '0' && s[i] <= '7':
			from, most, radix = i, 3, 8
		default:
			return "", false
		}
		to := from
		for to < len(s) && to < from+most && digit(s[to], radix) {
			to++
		}
		n, err := strconv.ParseUint(s[from:to], radix, 32)
		if err != nil || n == 0 || most > 3 && n > unicode.MaxRune || most < 4 && n > 0xFF {
			return "", false
		}
		if most < 4 {
			b.WriteByte(byte(n))
		} else {
			b.WriteRune(rune(n))
		}
		i = to - 1
	}
	return b.String(), true
}

func digit(c byte, radix int) bool {
	if radix == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// odd names the first character that a person cannot see or that bash and the
// parser read differently, "" = none.
func odd(src string) string {
	for i, r := range src {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(src[i:]); size == 1 {
				return "it holds bytes that are no text"
			}
		case r == '\r':
			return "it holds a carriage return"
		case unicode.Is(unicode.C, r) || unicode.Is(unicode.Z, r):
			return "it holds a character that cannot be seen"
		}
	}
	return ""
}
