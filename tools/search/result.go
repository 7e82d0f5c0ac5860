package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"companion/tools"
	"companion/tools/search/match"
)

// result words what was found.
func (r *run) result(list []target) tools.Result {
	var b strings.Builder
	switch {
	case len(r.files) == 0:
		r.none(&b, list)
	case r.a.Mode == "files" || r.a.Mode == "count":
		r.perFile(&b)
	default:
		r.content(&b)
	}
	r.notes(&b)
	return tools.Result{Outcome: tools.OK, Text: b.String(), Display: r.headline()}
}

func (r *run) headline() string {
	atLeast := ""
	if r.atEnd {
		atLeast = "at least "
	}
	if r.a.Mode == "files" {
		return plural(len(r.files), "file")
	}
	return atLeast + plural(r.hits, "hit") + " in " + plural(len(r.files), "file")
}

// plural is a count of something, with separators of thousands.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return thousands(n) + " " + thing
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// none says what was not searched, so that a miss is no proof where it is none.
func (r *run) none(b *strings.Builder, list []target) {
	fmt.Fprintf(b, "No hits for %q in %s", r.a.Pattern, where(r.call, list))
	if r.a.Glob != "" {
		fmt.Fprintf(b, ", files that match %q", r.a.Glob)
	}
	if r.a.Type != "" {
		fmt.Fprintf(b, ", files of type %s", r.a.Type)
	}
	b.WriteString(".")
	var not, set []string
	if !r.a.Ignored {
		not, set = append(not, "files that git ignores"), append(set, "ignored")
	}
	if !r.a.Hidden {
		not, set = append(not, "hidden files"), append(set, "hidden")
	}
	not = append(not, "binary files", "symlinks", "secrets (.env files, keys)")
	if len(list) == 1 && !list[0].isDir {
		not, set = nil, nil // a file that is named is searched, whatever it is called
	}
	if len(not) > 0 {
		fmt.Fprintf(b, " Not searched: %s.", strings.Join(not, ", "))
	}
	if len(set) > 0 {
		fmt.Fprintf(b, " To search those too set %s.", strings.Join(set, " or "))
	}
	if !r.a.IgnoreCase && strings.ToLower(r.a.Pattern) != r.a.Pattern {
		b.WriteString(" Case counted: ignore_case changes that.")
	}
	b.WriteString("\n")
}

func (r *run) perFile(b *strings.Builder) {
	shown := 0
	for i, f := range r.files {
		if i < r.a.Offset || shown == r.a.Limit || b.Len() > mostText {
			continue
		}
		shown++
		b.WriteString(f.path)
		if r.a.Mode == "count" {
			fmt.Fprintf(b, ":%d", f.Count)
		}
		b.WriteByte('\n')
	}
	total := plural(len(r.files), "file")
	if r.a.Mode == "count" {
		total = plural(r.hits, "hit") + " in " + total
	}
	r.end(b, shown, len(r.files), "Files", total)
}

// end says what part of all was shown, and how to go on.
func (r *run) end(b *strings.Builder, shown, all int, things, total string) {
	last := r.a.Offset + shown
	switch {
	case shown == 0:
		fmt.Fprintf(b, "(Nothing from offset %d on: there are %s.)\n", r.a.Offset, total)
	case last < all:
		fmt.Fprintf(b, "(%s %d to %d of %s. Go on with offset %d, or narrow it by path, glob or type.)\n", things, r.a.Offset+1, last, total, last)
	case r.a.Offset > 0:
		fmt.Fprintf(b, "(%s %d to %d; that is all: %s.)\n", things, r.a.Offset+1, last, total)
	default:
		fmt.Fprintf(b, "(%s.)\n", total)
	}
}

func (r *run) content(b *strings.Builder) {
	nth, shown := 0, 0
	for i := range r.files {
		f := &r.files[i]
		p := printer{b: b, path: f.path}
		for h := range f.Hits {
			if nth++; nth <= r.a.Offset {
				continue
			}
			if shown == r.a.Limit || b.Len() > mostText && shown > 0 {
				break
			}
			if r.a.Context > 0 && shown > 0 && p.last == 0 {
				b.WriteString("--\n")
			}
			var next *match.Hit
			if h+1 < len(f.Hits) && shown+1 < r.a.Limit {
				next = &f.Hits[h+1]
			}
			p.hit(&f.Hits[h], next)
			shown++
		}
		if shown == r.a.Limit || b.Len() > mostText {
			break
		}
	}
	r.end(b, shown, r.hits, "Hits", r.headline())
}

// printer writes the hits of one file: path:line:text, and path-line-text for
// context.
type printer struct {
	b    *strings.Builder
	path string
	last int // the last line that is written
}

func (p *printer) hit(h, next *match.Hit) {
	first := h.Line - len(h.Before)
	if p.last > 0 && first > p.last+1 && (len(h.Before) > 0 || len(h.After) > 0) {
		p.b.WriteString("--\n")
	}
	for i, text := range h.Before {
		p.line(first+i, '-', text)
	}
	for i, text := range h.Lines {
		p.line(h.Line+i, ':', text)
	}
	if h.Left > 0 {
		fmt.Fprintf(p.b, "(The match goes on for %d lines.)\n", h.Left)
		p.last = h.Line + len(h.Lines) - 1 + h.Left
	}
	for i, text := range h.After {
		n := h.Line + len(h.Lines) + h.Left + i
		if next != nil && n >= next.Line {
			break
		}
		p.line(n, '-', text)
	}
}

func (p *printer) line(n int, mark byte, text string) {
	if n <= p.last {
		return
	}
	p.last = n
	fmt.Fprintf(p.b, "%s%c%d%c%s\n", p.path, mark, n, mark, strings.ToValidUTF8(text, "\uFFFD"))
}

// notes say what was not searched, and which texts are not on disk.
func (r *run) notes(b *strings.Builder) {
	for _, why := range slices.Sorted(maps.Keys(r.told)) {
		fmt.Fprintf(b, "(Not searched, %s: %s.)\n", why, list(r.told[why]))
	}
	if len(r.unsave) > 0 {
		fmt.Fprintf(b, "(As it stands in the editor, unsaved: %s.)\n", list(slices.Collect(maps.Keys(r.unsave))))
	}
}
