package syntax

import (
	"regexp"
	"strings"
)

// unified is the header of a hunk as diff writes it.
var unified = regexp.MustCompile(`^@@+ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@+\s?(.*)$`)

// body reads a line of an Update.
func (p *Parser) body(n int, s, t string) {
	switch {
	case strings.HasPrefix(s, "***"):
		p.bodyMark(n, s, t)
	case strings.HasPrefix(s, "@@"):
		p.at2(n, s)
	case p.ender != "" && t == p.ender && s == t:
		p.held = append(p.held, heldLine{n, s})
	case strings.HasPrefix(t, "***") && s[0] <= ' ' && (sameMark(t, endMark) || p.state == updating && p.fresh() && strings.HasPrefix(strings.ToLower(t), "*** ")):
		if sameMark(t, endMark) {
			p.held = append(p.held, heldLine{n, s})
			return
		}
		p.bodyMark(n, t, t)
	default:
		p.content(n, s)
	}
}

// fresh: nothing of the section but its header came.
func (p *Parser) fresh() bool {
	x := p.section()
	return len(x.Hunks) == 0 && len(p.anchor) == 0 && p.anchAt == 0
}

func (p *Parser) bodyMark(n int, s, t string) {
	x := p.section()
	lower := strings.ToLower(t)
	switch {
	case strings.HasPrefix(lower, strings.ToLower(moveMark)):
		if !p.fresh() || x.To != "" {
			p.fail(n, s, `it stands right after "*** Update File: PATH", once`)
			return
		}
		if x.To = name(t[len(moveMark):]); x.To == "" {
			p.fail(n, s, "it names no file")
		}
	case sameMark(t, eofMark):
		if len(x.Hunks) > 0 && p.state == hunking {
			x.Hunks[len(x.Hunks)-1].EOF = true
			p.state = updating
		}
	default:
		p.mark(n, s, t)
	}
}

// at2 reads a line that begins with @@.
func (p *Parser) at2(n int, s string) {
	text := strings.TrimPrefix(s, "@@")
	if m := unified.FindStringSubmatch(s); m != nil {
		text = m[1]
		p.heal("line numbers of a hunk's header were left out")
	}
	text = strings.TrimPrefix(strings.TrimRight(text, " \t"), " ")
	if inner := strings.TrimRight(strings.TrimSuffix(text, "@@"), " \t"); inner != text {
		text = inner
	}
	p.state = updating
	if len(p.anchor) == 0 {
		p.anchAt = n
	}
	if text != "" {
		p.anchor = append(p.anchor, text)
	}
}

// content reads a line of a hunk.
func (p *Parser) content(n int, s string) {
	if p.state == adding {
		p.add(s)
		return
	}
	x := p.section()
	if p.state == updating {
		if p.fileNames(s) {
			return
		}
		at := n
		if p.anchAt > 0 {
			at = p.anchAt
		}
		x.Hunks = append(x.Hunks, Hunk{Line: at, Anchors: p.anchor})
		p.anchor, p.anchAt, p.state = nil, 0, hunking
	}
	h := &x.Hunks[len(x.Hunks)-1]
	switch {
	case s == "":
		h.Lines = append(h.Lines, Line{Op: ' ', Loose: true})
	case s[0] == ' ' || s[0] == '-' || s[0] == '+':
		h.Lines = append(h.Lines, Line{Op: s[0], Text: s[1:]})
	case strings.HasPrefix(s, `\ No newline`):
		if k := len(h.Lines); k > 0 && h.Lines[k-1].Op == '+' {
			x.Bare = true
		}
	default:
		p.heal("a line of context had no space before it")
		h.Lines = append(h.Lines, Line{Op: ' ', Text: s})
	}
}

// fileNames skips the two lines with which diff names files.
func (p *Parser) fileNames(s string) bool {
	if !p.fresh() {
		return false
	}
	if strings.HasPrefix(s, "--- ") || strings.HasPrefix(s, "+++ ") {
		p.heal("the names of a diff's files were left out")
		return true
	}
	return false
}
