package grammar

import (
	"fmt"
	"strconv"
)

// expr is one expansion of a rule or terminal.
type expr struct {
	op       op
	kids     []*expr
	text     string // of a literal: its text; of a pattern: as written; of a name
	upTo     string // of a span: its end
	flag     string
	min, max int // of a repeat; max -1 = no end
	line     int
}

type op int

const (
	sequence op = iota
	choice
	repeat
	literal
	span // "a".."z"
	regex
	named
)

// definition of a rule or terminal.
type definition struct {
	name string
	body *expr
	line int
}

// file is a Lark file as it is written.
type file struct {
	defs   map[string]*definition
	ignore []*expr
}

type parser struct {
	toks []token
	at   int
	file *file
	deep int
}

func parse(src string) (*file, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks, file: &file{defs: map[string]*definition{}}}
	for {
		p.skipLines()
		if p.peek().kind == eof {
			return p.file, nil
		}
		if err := p.statement(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) peek() token { return p.toks[min(p.at, len(p.toks)-1)] }

func (p *parser) next() token {
	t := p.peek()
	p.at++
	return t
}

func (p *parser) skipLines() {
	for p.peek().kind == newline {
		p.at++
	}
}

// is tells whether the next token is a punctuation, and takes it.
func (p *parser) is(s string) bool {
	if t := p.peek(); t.kind != punct || t.text != s {
		return false
	}
	p.at++
	return true
}

func (p *parser) wrong(what string) error {
	t := p.peek()
	return fmt.Errorf("line %d: expected %s, got %q", t.line, what, t.text)
}

func (p *parser) statement() error {
	switch {
	case p.is("%import"):
		return p.importing()
	case p.is("%ignore"):
		e, err := p.alternatives()
		if err == nil {
			p.file.ignore = append(p.file.ignore, e)
		}
		return err
	}
	for p.is("?") || p.is("!") { // how a tree is built
		continue
	}
	t := p.next()
	if t.kind != name {
		p.at--
		return p.wrong("the name of a rule or terminal, %import or %ignore")
	}
	if p.is(".") && p.next().kind != number {
		p.at--
		return p.wrong("a priority")
	}
	if !p.is(":") {
		return p.wrong(`":"`)
	}
	if _, twice := p.file.defs[t.text]; twice {
		return fmt.Errorf("line %d: %s is defined twice", t.line, t.text)
	}
	body, err := p.alternatives()
	if err != nil {
		return err
	}
	if k := p.peek().kind; k != newline {
		return p.wrong("the end of the line")
	}
	p.file.defs[t.text] = &definition{t.text, body, t.line}
	return nil
}

// importing reads "common.LF", "common.LF -> NL" and "common (LF, WS)".
func (p *parser) importing() error {
	if t := p.next(); t.kind != name || t.text != "common" {
		p.at--
		return p.wrong("common, the only file to import from")
	}
	if p.is(".") {
		t := p.next()
		as := t.text
		if p.is("->") {
			as = p.next().text
		}
		return p.common(t, as)
	}
	if !p.is("(") {
		return p.wrong(`"." or "("`)
	}
	for {
		t := p.next()
		if err := p.common(t, t.text); err != nil {
			return err
		}
		switch {
		case p.is(")"):
			return nil
		case !p.is(","):
			return p.wrong(`"," or ")"`)
		}
	}
}

func (p *parser) common(t token, as string) error {
	re, ok := common(t.text)
	if t.kind != name || !ok {
		return fmt.Errorf("line %d: there is no common terminal %q", t.line, t.text)
	}
	p.file.defs[as] = &definition{as, &expr{op: regex, text: re, line: t.line}, t.line}
	return nil
}

// alternatives reads "a b | c"; lines that begin with "|" belong to it.
func (p *parser) alternatives() (*expr, error) {
	if p.deep++; p.deep > maxDepth {
		return nil, p.wrong("fewer groups within groups")
	}
	defer func() { p.deep-- }()
	all := &expr{op: choice, line: p.peek().line}
	for {
		seq, err := p.sequence()
		if err != nil {
			return nil, err
		}
		all.kids = append(all.kids, seq)
		here := p.at
		p.skipLines()
		if !p.is("|") {
			p.at = here
			break
		}
	}
	if len(all.kids) == 1 {
		return all.kids[0], nil
	}
	return all, nil
}

func (p *parser) sequence() (*expr, error) {
	seq := &expr{op: sequence, line: p.peek().line}
	for {
		t := p.peek()
		if t.kind == newline || t.kind == eof || t.kind == punct && (t.text == "|" || t.text == ")" || t.text == "]") {
			return seq, nil
		}
		if p.is("->") {
			if p.next().kind != name {
				p.at--
				return nil, p.wrong("a name behind ->")
			}
			continue
		}
		e, err := p.item()
		if err != nil {
			return nil, err
		}
		seq.kids = append(seq.kids, e)
	}
}

// item reads an atom and how often it stands there.
func (p *parser) item() (*expr, error) {
	e, err := p.atom()
	if err != nil {
		return nil, err
	}
	for {
		r := &expr{op: repeat, kids: []*expr{e}, line: e.line}
		switch {
		case p.is("?"):
			r.max = 1
		case p.is("*"):
			r.max = -1
		case p.is("+"):
			r.min, r.max = 1, -1
		case p.is("~"):
			if r.min, err = p.count(); err != nil {
				return nil, err
			}
			r.max = r.min
			if p.is("..") {
				if r.max, err = p.count(); err != nil {
					return nil, err
				}
			}
		default:
			return e, nil
		}
		e = r
	}
}

func (p *parser) count() (int, error) {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	if t.kind != number || err != nil || n < 0 || n > maxRepeat {
		p.at--
		return 0, p.wrong(fmt.Sprintf("a number from 0 to %d", maxRepeat))
	}
	return n, nil
}

func (p *parser) atom() (*expr, error) {
	t := p.next()
	switch {
	case t.kind == punct && (t.text == "(" || t.text == "["):
		p.skipLines()
		e, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		p.skipLines()
		if t.text == "(" {
			if !p.is(")") {
				return nil, p.wrong(`")"`)
			}
			return e, nil
		}
		if !p.is("]") {
			return nil, p.wrong(`"]"`)
		}
		return &expr{op: repeat, kids: []*expr{e}, max: 1, line: t.line}, nil
	case t.kind == text:
		from, err := unquote(t.text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %q is no string", t.line, t.text)
		}
		if !p.is("..") {
			return &expr{op: literal, text: from, flag: t.flag, line: t.line}, nil
		}
		end := p.next()
		to, err := unquote(end.text)
		if end.kind != text || err != nil {
			p.at--
			return nil, p.wrong("the end of a range")
		}
		return &expr{op: span, text: from, upTo: to, line: t.line}, nil
	case t.kind == pattern:
		return &expr{op: regex, text: t.text, flag: t.flag, line: t.line}, nil
	case t.kind == name:
		if next := p.peek(); next.kind == punct && next.text == "{" {
			return nil, p.wrong("no template")
		}
		return &expr{op: named, text: t.text, line: t.line}, nil
	}
	p.at--
	return nil, p.wrong("a name, a string, a /pattern/ or a group")
}
