package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Parser reads a patch as it comes. The zero value is ready; it is for one
// patch and one goroutine.
type Parser struct {
	wrap    unwrap
	partial []byte // of a line whose end did not come
	at      int    // lines so far
	patch   Patch
	err     *Error

	state  state
	indent string // of the whole patch
	ender  string // the line that ends a heredoc or fence, "" = none
	begun  bool   // *** Begin Patch came
	judge  bool   // the next line decides whether indent is everybody's
	anchor []string
	anchAt int        // line of the first of them
	held   []heldLine // lines that are content only if more follows
	told   map[string]bool
}

type heldLine struct {
	n    int
	text string
}

type state byte

const (
	before  state = iota // before the first line of the patch
	headers              // between sections
	adding
	deleting
	updating // after the header, before the first hunk
	hunking
	after // after *** End Patch
)

const (
	beginMark = "*** Begin Patch"
	endMark   = "*** End Patch"
	eofMark   = "*** End of File"
	moveMark  = "*** Move to:"
)

// Feed takes more of the text, split anywhere.
func (p *Parser) Feed(more string) { p.take(p.wrap.feed(more)) }

func (p *Parser) take(more string) {
	for more != "" {
		i := strings.IndexByte(more, '\n')
		if i < 0 {
			p.partial = append(p.partial, more...)
			return
		}
		line := more[:i]
		if len(p.partial) > 0 {
			line = string(append(p.partial, line...))
			p.partial = p.partial[:0]
		}
		p.line(line)
		more = more[i+1:]
	}
}

// Sections is what was read so far; the last one may still grow. The caller
// must not change it and not keep it beyond the next Feed.
func (p *Parser) Sections() []Section { return p.patch.Sections }

// Lines is how many lines were read so far.
func (p *Parser) Lines() int { return p.at }

// Close says that the text has ended. The error is an *Error.
func (p *Parser) Close() (*Patch, error) {
	p.take(p.wrap.rest())
	if p.wrap.opened {
		p.heal("it was wrapped in JSON")
	}
	if len(p.partial) > 0 {
		last := string(p.partial)
		p.partial = nil
		if t := strings.TrimSpace(last); len(t) > len("*** ") && t != endMark && strings.HasPrefix(endMark, t) {
			last = endMark
		}
		p.line(last)
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case p.state == before:
		return nil, &Error{Reason: `there is no patch: it begins with a line "*** Begin Patch"`}
	case p.state != after:
		ends := slices.DeleteFunc(p.held, func(h heldLine) bool { return strings.TrimSpace(h.text) == "" })
		p.finish()
		if len(ends) == 0 && p.err == nil { // what was cut off may be half of what was meant
			return nil, &Error{Reason: `the line "*** End Patch" is missing, so the patch may be cut off: send all of it`}
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	if len(p.patch.Sections) == 0 {
		return nil, &Error{Reason: `the patch is empty: between its first and last line stand sections such as "*** Update File: PATH"`}
	}
	return &p.patch, nil
}

func (p *Parser) heal(what string) {
	if p.told == nil {
		p.told = map[string]bool{}
	}
	if !p.told[what] {
		p.told[what] = true
		p.patch.Healed = append(p.patch.Healed, what)
	}
}

func (p *Parser) fail(n int, text, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Line: n, Text: text, Reason: fmt.Sprintf(format, args...)}
	}
}

// line reads one line.
func (p *Parser) line(s string) {
	p.at++
	if p.err != nil {
		return
	}
	s = valid(strings.TrimSuffix(s, "\r"))
	if p.state == before {
		p.lead(s)
		return
	}
	if p.judge && strings.TrimSpace(s) != "" {
		p.judge = false
		rest, all := strings.CutPrefix(s, p.indent)
		if !all || !strings.ContainsAny(rest[:1], "@+-*") {
			p.indent = ""
		}
	}
	p.read(p.at, strings.TrimPrefix(s, p.indent))
}

// lead reads lines before the patch: of a wrapping, or prose.
func (p *Parser) lead(s string) {
	t := strings.TrimSpace(s)
	switch {
	case t == "":
	case sameMark(t, beginMark):
		p.indent, p.judge, p.begun, p.state = s[:strings.Index(s, "*")], true, true, headers
	case isHeader(t):
		p.heal(`the line "*** Begin Patch" was missing`)
		p.indent, p.state = s[:strings.Index(s, "*")], headers
		p.read(p.at, strings.TrimPrefix(s, p.indent))
	default:
		p.wrapping(t)
	}
}

// heredoc is a shell line whose text is the patch.
var heredoc = regexp.MustCompile(`^(?:cd\s+("[^"]+"|'[^']+'|[^\s;&|]+)\s*&&\s*)?(?:apply_?patch|cat)?\s*<<(-?)\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)["']?\s*(?:\|\s*apply_?patch\s*)?$`)

func (p *Parser) wrapping(t string) {
	if m := heredoc.FindStringSubmatch(t); m != nil {
		p.patch.Dir, p.ender = strings.Trim(m[1], `"'`), m[4]
		p.heal("it was wrapped in a heredoc")
		return
	}
	if strings.HasPrefix(t, "```") {
		p.ender = "```"
		p.heal("it was wrapped in a fence")
		return
	}
	p.heal("text before the patch was left out")
}

// sameMark compares marks without regard to case and doubled spaces.
func sameMark(t, mark string) bool {
	return t == mark || len(t) >= len(mark) && strings.EqualFold(strings.Join(strings.Fields(t), " "), mark)
}

var header = regexp.MustCompile(`(?i)^\*\*\*\s*(add|delete|update)\s+file\s*:\s*(.*)$`)

func isHeader(t string) bool { return strings.HasPrefix(t, "***") && header.MatchString(t) }

// name is a path as a header gives it, without what models put around it.
func name(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{"`", `"`, "'"} {
		if len(s) > 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// read reads a line of the patch itself.
func (p *Parser) read(n int, s string) {
	t := strings.TrimSpace(s)
	if len(p.held) > 0 {
		if t == "" || p.ender != "" && t == p.ender {
			p.held = append(p.held, heldLine{n, s})
			return
		}
		if p.state == adding && strings.HasPrefix(t, "***") {
			p.held = nil // blank lines before the next section
		}
		p.release()
	}
	switch p.state {
	case after:
		p.behind(n, s, t)
	case hunking, updating:
		p.body(n, s, t)
	default:
		p.plain(n, s, t)
	}
}

// release reads held lines as content, since more follows.
func (p *Parser) release() {
	held := p.held
	p.held = nil
	for _, h := range held {
		p.content(h.n, h.text)
	}
}

// behind reads what follows *** End Patch.
func (p *Parser) behind(n int, s, t string) {
	switch {
	case t == "" || p.ender != "" && t == p.ender:
	case sameMark(t, beginMark):
		p.heal("two patches were joined")
		p.state = headers
	case isHeader(t):
		p.heal("a section stood after *** End Patch")
		p.state = headers
		p.plain(n, s, t)
	default:
		p.heal("text after *** End Patch was left out")
	}
}

// plain reads a line where no hunk is.
func (p *Parser) plain(n int, s, t string) {
	switch {
	case p.state == adding && strings.HasPrefix(s, "+"):
		p.add(s[1:])
	case strings.HasPrefix(t, "***"):
		p.mark(n, s, t)
	case p.ender != "" && t == p.ender:
		p.finish()
		p.heal(`the line "*** End Patch" was missing`)
	case p.state == adding && strings.HasPrefix(t, `\ No newline`):
		p.section().Bare = true
	case p.state == adding && t == "":
		p.held = append(p.held, heldLine{n, s})
	case p.state == adding:
		p.heal("a line of a new file had no +")
		p.add(s)
	case t == "":
	case p.state == deleting && strings.HasPrefix(s, "-"):
		p.heal("the lines of a deleted file need not be given")
	case p.state == headers && !p.begun && len(p.patch.Sections) == 0:
		p.heal("text before the patch was left out")
	default:
		p.fail(n, s, `a section is to begin here: "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH"`)
	}
}

// add adds a line to a new file.
func (p *Parser) add(text string) {
	x := p.section()
	x.Lines = append(x.Lines, text)
}

func (p *Parser) section() *Section { return &p.patch.Sections[len(p.patch.Sections)-1] }

// mark reads a line that begins with ***.
func (p *Parser) mark(n int, s, t string) {
	if m := header.FindStringSubmatch(t); m != nil {
		p.open(n, s, Kind(strings.ToLower(m[1])), name(m[2]))
		return
	}
	switch {
	case sameMark(t, endMark):
		p.finish()
	case sameMark(t, beginMark) && len(p.patch.Sections) == 0:
	case sameMark(t, eofMark) && p.state != headers:
		// of no use, and no harm
	case strings.HasPrefix(strings.ToLower(t), "*** move to"):
		p.fail(n, s, `it stands right after "*** Update File: PATH"`)
	case strings.HasPrefix(strings.ToLower(t), "*** environment id:"):
	default:
		p.fail(n, s, `no such line is known; sections begin with "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH"`)
	}
}

// open begins a section.
func (p *Parser) open(n int, s string, k Kind, path string) {
	p.leave()
	p.judge = p.judge || p.indent != "" && len(p.patch.Sections) == 0
	if path == "" {
		p.fail(n, s, "it names no file")
		return
	}
	p.patch.Sections = append(p.patch.Sections, Section{Kind: k, Path: path, Line: n})
	p.state = map[Kind]state{Add: adding, Delete: deleting, Update: updating}[k]
}

// finish ends the patch.
func (p *Parser) finish() {
	p.leave()
	p.held, p.state = nil, after
}

// leave ends a section.
func (p *Parser) leave() {
	if p.state != updating && p.state != hunking {
		return
	}
	x := p.section()
	kept := x.Hunks[:0]
	for _, h := range x.Hunks {
		if h.Changes() {
			kept = append(kept, h)
		}
	}
	if len(kept) < len(x.Hunks) {
		p.heal("a hunk that changes nothing was left out")
	}
	x.Hunks = kept
	if len(kept) == 0 && x.To == "" {
		p.fail(x.Line, "*** Update File: "+x.Path, "the section holds no line that begins with + or -, so it changes nothing")
	}
	p.anchor, p.anchAt = nil, 0
}
