// Package patchline finds the patch in a shell line whose only work is to call
// apply_patch, which is no program on most systems: with a here-document, as an
// argument, or behind cd.
//
// Never: run anything; take a line for a patch that does something else too.
package patchline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Find gives the patch of a line, as it is written there, and the folder that
// the line changes to before, "" = none. ok is false for every other line.
func Find(line string) (dir, patch string, ok bool) {
	if !strings.Contains(line, "apply_patch") && !strings.Contains(line, "applypatch") {
		return "", "", false
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(f.Stmts) != 1 {
		return "", "", false
	}
	st := f.Stmts[0]
	if b, is := st.Cmd.(*syntax.BinaryCmd); is && plain(st) && b.Op == syntax.AndStmt {
		if dir, ok = change(b.X); !ok {
			return "", "", false
		}
		st = b.Y
	}
	patch, ok = apply(line, st)
	return dir, patch, ok
}

// plain tells whether a statement has nothing around its command.
func plain(st *syntax.Stmt) bool {
	return !st.Negated && !st.Background && !st.Coprocess && len(st.Redirs) == 0
}

// change reads "cd DIR".
func change(st *syntax.Stmt) (dir string, ok bool) {
	words, ok := call(st)
	if !ok || !plain(st) || len(words) != 2 || words[0] != "cd" || words[1] == "-" || strings.HasPrefix(words[1], "~") {
		return "", false
	}
	return words[1], true
}

// apply reads a call of apply_patch, or a cat of a here-document into one.
func apply(line string, st *syntax.Stmt) (patch string, ok bool) {
	if b, is := st.Cmd.(*syntax.BinaryCmd); is && b.Op == syntax.Pipe && plain(st) {
		from, ok1 := call(b.X)
		to, ok2 := call(b.Y)
		if !ok1 || !ok2 || len(from) != 1 || from[0] != "cat" || len(to) != 1 || !isName(to[0]) || !plain(b.Y) {
			return "", false
		}
		return document(line, b.X)
	}
	words, ok := call(st)
	switch {
	case !ok || len(words) == 0 || !isName(words[0]):
		return "", false
	case len(words) == 1:
		return document(line, st)
	case len(words) == 2 && plain(st) && strings.Contains(words[1], "*** Begin Patch"):
		return words[1], true
	}
	return "", false
}

func isName(word string) bool { return word == "apply_patch" || word == "applypatch" }

// call gives the words of a simple command, all of which are literal.
func call(st *syntax.Stmt) (words []string, ok bool) {
	c, is := st.Cmd.(*syntax.CallExpr)
	if !is || st.Negated || st.Background || st.Coprocess || len(c.Assigns) > 0 {
		return nil, false
	}
	for _, w := range c.Args {
		text, ok := literal(w.Parts)
		if !ok {
			return nil, false
		}
		words = append(words, text)
	}
	return words, true
}

func literal(parts []syntax.WordPart) (text string, ok bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[") {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, in := range p.Parts {
				lit, is := in.(*syntax.Lit)
				if !is || p.Dollar {
					return "", false
				}
				b.WriteString(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// document gives the text of a statement's only redirection, a here-document or
// a here-string, as it is written: a patch is meant literally, also where the
// shell would replace $ in it.
func document(line string, st *syntax.Stmt) (string, bool) {
	if len(st.Redirs) != 1 || st.Redirs[0].N != nil {
		return "", false
	}
	r := st.Redirs[0]
	switch {
	case r.Op == syntax.WordHdoc:
		text, ok := literal(r.Word.Parts)
		return text, ok && strings.Contains(text, "*** Begin Patch")
	case (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && r.Hdoc != nil:
		from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
		if from > to || to > len(line) {
			return "", false
		}
		text := line[from:to]
		if i := strings.LastIndexByte(text, '\n'); i+1 < len(text) { // the line that ends it
			text = text[:i+1]
		}
		if r.Op == syntax.DashHdoc {
			lines := strings.SplitAfter(text, "\n")
			for i := range lines {
				lines[i] = strings.TrimLeft(lines[i], "\t")
			}
			text = strings.Join(lines, "")
		}
		return text, true
	}
	return "", false
}
