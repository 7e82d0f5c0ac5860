package permission

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// line is what is known of a shell line before it runs.
type line struct {
	commands [][]string // every simple command, also inside substitutions; "" for a word that is not literal
	// clear says that the line consists of simple commands with literal words,
	// joined by ; && || and |, and nothing else. A line that is not clear is
	// allowed by no rule.
	clear bool
}

// maxNested bounds shells inside shells.
const maxNested = 4

// parse reads a line as bash does, which is a superset of what sh takes.
func parse(src string) line { return parseNested(src, 0) }

func parseNested(src string, depth int) line {
	out := line{clear: true}
	if depth > maxNested || strings.ContainsRune(src, 0) {
		return line{}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		out.clear = false
		out.commands = guess(src)
		return out
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File, *syntax.Lit, *syntax.Word, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.BinaryCmd, *syntax.Comment:
			if q, ok := n.(*syntax.SglQuoted); ok && q.Dollar {
				out.clear = false
			}
		case *syntax.Stmt:
			if n.Background || n.Coprocess {
				out.clear = false
			}
		case *syntax.Redirect:
			if !harmless(n) {
				out.clear = false
			}
		case *syntax.CallExpr:
			if len(n.Assigns) > 0 {
				out.clear = false
			}
			if len(n.Args) > 0 {
				out.add(n.Args, depth)
			}
		default: // substitutions, control flow, declarations, functions
			out.clear = false
		}
		return true
	})
	return out
}

// add notes one simple command and what it runs in turn.
func (l *line) add(args []*syntax.Word, depth int) {
	words := make([]string, len(args))
	for i, a := range args {
		text, ok := literal(a)
		if !ok {
			l.clear = false
		}
		words[i] = text
	}
	l.commands = append(l.commands, words)
	if words[0] == "" {
		l.clear = false
	}
	if !runsOthers(words[0]) {
		return
	}
	l.clear = false
	for i := 1; i < len(words); i++ {
		if words[i] != "" && !strings.HasPrefix(words[i], "-") {
			l.commands = append(l.commands, words[i:])
		}
		if strings.ContainsAny(words[i], " \t\n;|&$`(") {
			l.commands = append(l.commands, parseNested(words[i], depth+1).commands...)
		}
	}
}

// runsOthers tells whether a command runs what its arguments say, so that each
// tail of its words may be a command of its own (tools.md, Permission).
func runsOthers(name string) bool {
	switch filepath.Base(name) {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "env", "sudo", "doas", "su", "xargs", "find", "timeout", "nice", "nohup",
		"time", "command", "exec", "builtin", "eval", "source", ".", "trap", "watch", "parallel", "setsid", "stdbuf", "ionice",
		"flock", "script", "ssh", "chroot", "busybox", "unshare", "nsenter", "strace", "cmd", "powershell", "pwsh":
		return true
	}
	return false
}

// literal is the text of a word that expands to itself; globs and a leading
// tilde do not.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{") || i == 0 && strings.HasPrefix(p.Value, "~") {
				return p.Value, false
			}
			b.WriteString(unescape(p.Value, false))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescape(lit.Value, true))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape removes the backslashes that the shell removes.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if next := s[i+1]; next == '\n' {
				i++
				continue
			} else if !quoted || strings.IndexByte("$`\"\\", next) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// harmless redirections join streams or throw them away.
func harmless(r *syntax.Redirect) bool {
	target, ok := literal(r.Word)
	if !ok {
		return false
	}
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		return len(target) == 1 && target[0] >= '0' && target[0] <= '2' || target == "-"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrIn, syntax.RdrInOut:
		return target == "/dev/null"
	}
	return false
}

// guess gives the commands that a line which does not parse may hold, for
// denials only: every tail of its words.
func guess(src string) [][]string {
	words := strings.FieldsFunc(src, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()`$<>{}\"'", r) })
	var out [][]string
	for i := range words {
		out = append(out, words[i:])
	}
	return out
}
