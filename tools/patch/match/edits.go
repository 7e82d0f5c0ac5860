package match

import (
	"strings"

	"companion/text"
	"companion/tools/patch/syntax"
)

// edits are what a hunk changes at its place, block by block.
func (x *source) edits(h *hunk) (out []text.Edit) {
	lines := h.own()
	pairs := h.indents(x)
	at := h.at
	for i := 0; i < len(lines); {
		if lines[i].Op == ' ' {
			at, i = at+1, i+1
			continue
		}
		from := at
		var gone, fresh []int // of lines
		for ; i < len(lines) && lines[i].Op != ' '; i++ {
			if lines[i].Op == '-' {
				gone, at = append(gone, i), at+1
				continue
			}
			fresh = append(fresh, i)
		}
		if e, ok := x.block(h, lines, from, gone, fresh, pairs); ok {
			out = append(out, e)
		}
	}
	return out
}

// block is the edit that puts the fresh lines for those that are gone. Lines at
// both ends that are equal stay as the file has them.
func (x *source) block(h *hunk, lines []syntax.Line, from int, gone, fresh []int, pairs []indent) (text.Edit, bool) {
	to := from + len(gone)
	for len(gone) > 0 && len(fresh) > 0 && lines[gone[0]].Text == lines[fresh[0]].Text {
		gone, fresh, from = gone[1:], fresh[1:], from+1
	}
	for len(gone) > 0 && len(fresh) > 0 && lines[gone[len(gone)-1]].Text == lines[fresh[len(fresh)-1]].Text {
		gone, fresh, to = gone[:len(gone)-1], fresh[:len(fresh)-1], to-1
	}
	if len(gone) == 0 && len(fresh) == 0 {
		return text.Edit{}, false
	}
	var b strings.Builder
	for _, k := range fresh {
		l := lines[k].Text
		if h.pass == Healed {
			l = unescape(l)
		}
		b.WriteString(reindent(l, k, pairs))
		b.WriteString(x.ending)
	}
	return text.Edit{Start: x.starts[from], End: x.starts[to], New: b.String()}, true
}

// finish gives the end of the text the ending that it had: none where it had
// none, or where bare says so and lines are added there.
func (x *source) finish(edits []text.Edit, bare bool) []text.Edit {
	if len(edits) == 0 {
		return edits
	}
	tail := &edits[len(edits)-1]
	if tail.End != len(x.text) || tail.New == "" {
		return edits
	}
	switch {
	case tail.Start == len(x.text) && x.open: // behind a line without ending
		for i := range edits { // several insertions at the end: the first begins the line
			if e := &edits[i]; e.Start == len(x.text) {
				e.New = x.ending + e.New
				break
			}
		}
		tail.New = strings.TrimSuffix(tail.New, x.ending)
	case x.open || bare:
		tail.New = strings.TrimSuffix(tail.New, x.ending)
	}
	return edits
}

// indent is how a line of a hunk and the line of the file that it stands for
// are indented.
type indent struct {
	k           int // of the hunk's own lines
	patch, file string
}

// indents are the indentations of a hunk that was found by lines without them;
// nil = they are the same.
func (h *hunk) indents(x *source) []indent {
	if h.pass < Trimmed {
		return nil
	}
	var out []indent
	differ := false
	at := h.at
	for k, l := range h.own() {
		if l.Op == '+' {
			continue
		}
		p, f := leading(l.Text), leading(x.line(at))
		if len(p) < len(l.Text) {
			out = append(out, indent{k, p, f})
			differ = differ || p != f
		}
		at++
	}
	if !differ {
		return nil
	}
	return out
}

func leading(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

// reindent gives line k of a hunk the indentation of the file: that of the
// nearest line which the patch indents alike, else by what all lines show.
func reindent(s string, k int, pairs []indent) string {
	own := leading(s)
	if len(pairs) == 0 || own == s {
		return s
	}
	near := -1
	for i, p := range pairs {
		if p.patch == own && (near < 0 || abs(p.k-k) < abs(pairs[near].k-k)) {
			near = i
		}
	}
	if near >= 0 {
		return pairs[near].file + s[len(own):]
	}
	if to, ok := tabs(own, pairs); ok {
		return to + s[len(own):]
	}
	if to, ok := shifted(own, pairs); ok {
		return to + s[len(own):]
	}
	for i, p := range pairs { // deeper than the deepest that is known above it
		if strings.HasPrefix(own, p.patch) && (near < 0 || len(p.patch) > len(pairs[near].patch)) {
			near = i
		}
	}
	if near >= 0 {
		return pairs[near].file + s[len(pairs[near].patch):]
	}
	return s
}

// tabs turns spaces into the file's tabs, where n spaces are a tab in all pairs.
func tabs(own string, pairs []indent) (string, bool) {
	wide := 0
	for _, p := range pairs {
		t := strings.Count(p.file, "\t")
		if t != len(p.file) || strings.Trim(p.patch, " ") != "" || t == 0 != (p.patch == "") {
			return "", false
		}
		if t == 0 {
			continue
		}
		if len(p.patch)%t != 0 || wide != 0 && len(p.patch)/t != wide {
			return "", false
		}
		wide = len(p.patch) / t
	}
	if wide == 0 || strings.Trim(own, " ") != "" || len(own)%wide != 0 {
		return "", false
	}
	return strings.Repeat("\t", len(own)/wide), true
}

// shifted adds or removes what the file has more or less in front in all pairs.
func shifted(own string, pairs []indent) (string, bool) {
	if add, ok := strings.CutSuffix(pairs[0].file, pairs[0].patch); ok {
		for _, p := range pairs {
			if p.file != add+p.patch {
				return "", false
			}
		}
		return add + own, true
	}
	drop, ok := strings.CutSuffix(pairs[0].patch, pairs[0].file)
	if !ok || !strings.HasPrefix(own, drop) {
		return "", false
	}
	for _, p := range pairs {
		if drop+p.file != p.patch {
			return "", false
		}
	}
	return own[len(drop):], true
}

func abs(n int) int { return max(n, -n) }
