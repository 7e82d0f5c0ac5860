package cells

import (
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
)

// indentAt is the indentation of the line that an offset is in.
func indentAt(s string, off int) string {
	line := s[strings.LastIndexAny(s[:off], "\r\n")+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// replace gives a cell another source, and another type where kind is not "".
// What a code cell had put out is no more its source's, and goes.
func (b *book) replace(i int, source *string, kind string) (edits []text.Edit, told string) {
	c := b.cells[i]
	var parts []string
	if source != nil && (*source != b.source(c) || !b.has(c, "source")) {
		edits = append(edits, b.put(c, "source", func(old, indent string) string {
			s := b.style
			if inline := !strings.ContainsAny(old, "\r\n") && len(elements(old, 0)) > 0; !s.compact && (inline || !strings.ContainsAny(b.text[c.start:c.end], "\r\n")) {
				s.compact, s.comma = true, ", "
			}
			return s.source(*source, old == "" || strings.HasPrefix(old, "["), indent)
		}))
		parts = append(parts, "its source is new")
	}
	code := c.kind == "code"
	if kind != "" && kind != c.kind {
		edits = append(edits, b.put(c, "cell_type", func(string, string) string { return b.style.quote(kind) }))
		parts = append(parts, fmt.Sprintf("it was %s and is %s", c.kind, kind))
		switch {
		case code:
			edits = append(edits, b.drop(c, "execution_count", "outputs")...)
		case kind == "code":
			edits = append(edits, b.put(c, "execution_count", func(string, string) string { return "null" }),
				b.put(c, "outputs", func(string, string) string { return "[]" }))
			edits = merge(edits)
		}
		code = false
	}
	if n := b.outputs(c); len(edits) > 0 && code {
		if n > 0 {
			edits = append(edits, b.put(c, "outputs", func(string, string) string { return "[]" }))
			parts = append(parts, fmt.Sprintf("%d outputs of the old source were cleared", n))
		}
		if m, ok := c.member("execution_count"); ok && b.text[m.value.start:m.value.end] != "null" {
			edits = append(edits, text.Edit{Start: m.value.start, End: m.value.end, New: "null"})
		}
	}
	return edits, strings.Join(parts, "; ")
}

func (b *book) has(c cell, name string) bool {
	_, ok := c.member(name)
	return ok
}

// put gives a member of a cell another value, or adds it at the end.
func (b *book) put(c cell, name string, render func(old, indent string) string) text.Edit {
	if m, ok := c.member(name); ok {
		return text.Edit{Start: m.value.start, End: m.value.end, New: render(b.text[m.value.start:m.value.end], indentAt(b.text, m.key))}
	}
	at, before := c.start+1, ""
	if n := len(c.members); n > 0 {
		last := c.members[n-1]
		at, before = last.value.end, ","+b.gap(c)
	}
	return text.Edit{Start: at, End: at, New: before + b.style.quote(name) + b.style.colon + render("", indentAt(b.text, at))}
}

// gap is the white space before the members of a cell.
func (b *book) gap(c cell) string {
	if n := len(c.members); n > 1 {
		key := c.members[1].key
		return b.text[strings.LastIndexByte(b.text[:key], ',')+1 : key]
	}
	return b.text[c.start+1 : c.members[0].key]
}

// merge joins insertions at one place.
func merge(edits []text.Edit) (out []text.Edit) {
	for _, e := range edits {
		if n := len(out); n > 0 && e.Start == e.End && out[n-1].Start == e.Start && out[n-1].End == e.End {
			out[n-1].New += e.New
			continue
		}
		out = append(out, e)
	}
	return out
}

// drop takes members out of a cell.
func (b *book) drop(c cell, names ...string) (edits []text.Edit) {
	for i, m := range c.members {
		for _, name := range names {
			if m.name != name {
				continue
			}
			e := text.Edit{Start: m.key, End: m.value.end}
			switch {
			case i+1 < len(c.members):
				e.End = c.members[i+1].key
			case i > 0:
				e.Start = c.members[i-1].value.end
			}
			edits = append(edits, e)
		}
	}
	return edits
}

// remove takes a cell out.
func (b *book) remove(i int) text.Edit {
	switch n := len(b.cells); {
	case n == 1:
		return text.Edit{Start: b.list.start + 1, End: b.list.end - 1}
	case i == n-1:
		return text.Edit{Start: b.cells[i-1].end, End: b.cells[i].end}
	}
	return text.Edit{Start: b.cells[i].start, End: b.cells[i+1].start}
}

// insert puts a new cell before the cell at (0 = first, len = last).
func (b *book) insert(at int, source, kind string) text.Edit {
	s := b.style
	indent := indentAt(b.text, b.list.start) + s.unit
	if len(b.cells) > 0 && !s.compact {
		indent = indentAt(b.text, b.cells[0].start)
	}
	inner := indent + s.unit
	fields := []string{s.quote("cell_type") + s.colon + s.quote(kind)}
	if kind == "code" {
		fields = append(fields, s.quote("execution_count")+s.colon+"null")
	}
	if b.ids {
		fields = append(fields, s.quote("id")+s.colon+s.quote(b.newID(at, source)))
	}
	fields = append(fields, s.quote("metadata")+s.colon+"{}")
	if kind == "code" {
		fields = append(fields, s.quote("outputs")+s.colon+"[]")
	}
	fields = append(fields, s.quote("source")+s.colon+s.source(source, b.lists(), inner))
	fresh := s.wrap("{", fields, "}", indent)
	between := "," + s.newline + indent
	if s.compact {
		between = s.comma
	}
	switch n := len(b.cells); {
	case n == 0 && s.compact:
		return text.Edit{Start: b.list.start, End: b.list.end, New: "[" + fresh + "]"}
	case n == 0:
		return text.Edit{Start: b.list.start, End: b.list.end, New: s.wrap("[", []string{fresh}, "]", indentAt(b.text, b.list.start))}
	case at == n:
		return text.Edit{Start: b.cells[n-1].end, End: b.cells[n-1].end, New: between + fresh}
	}
	return text.Edit{Start: b.cells[at].start, End: b.cells[at].start, New: fresh + between}
}

// lists tells whether the book's sources are lists of lines, as Jupyter writes
// them.
func (b *book) lists() bool {
	for _, c := range b.cells {
		if m, ok := c.member("source"); ok {
			return b.text[m.value.start] == '['
		}
	}
	return true
}

// made is a planned change of a notebook.
type made struct{ after, told string }

// plan makes what a call asks for.
func (b *book) plan(name string, a args) (made, error) {
	fail := func(format string, v ...any) (made, error) {
		return made{}, tools.Fail("Not edited, nothing was changed. " + fmt.Sprintf(format, v...))
	}
	source := a.Source
	if source != nil {
		clean := text.WithEnding(*source, text.LF)
		source = &clean
	}
	at, found := b.find(a.Cell)
	if a.Cell != "" && !found {
		return fail("%s has no cell %q. %s", name, a.Cell, b.contents())
	}
	if a.Cell == "" && a.Mode != "insert" {
		return fail("cell is missing: name one by its number or its id. %s", b.contents())
	}
	var edits []text.Edit
	var told string
	switch a.Mode {
	case "insert":
		if source == nil {
			return fail("source is missing: give the text of the new cell.")
		}
		kind := a.Type
		if kind == "" {
			kind = "code"
		}
		if found {
			at++
		} else {
			at = 0
		}
		edits, told = []text.Edit{b.insert(at, *source, kind)}, fmt.Sprintf("Inserted a %s cell, now number %d of %d (from 0 on)", kind, at, len(b.cells)+1)
	case "delete":
		edits, told = []text.Edit{b.remove(at)}, fmt.Sprintf("Deleted cell %s; %d are left, and those after it have other numbers now", b.label(at), len(b.cells)-1)
	default:
		if source == nil && a.Type == "" {
			return fail("source is missing: give the new text of the cell.")
		}
		if edits, told = b.replace(at, source, a.Type); len(edits) == 0 {
			return fail("Cell %s is so already.", b.label(at))
		}
		told = fmt.Sprintf("Edited cell %s: %s", b.label(at), told)
	}
	after, err := text.Apply(b.text, edits)
	if err != nil {
		return fail("The change does not fit the notebook's text (%v). Use edit on its text.", err)
	}
	if _, err := open(name, after); err != nil {
		return fail("The change would break the notebook. Use edit on its text.")
	}
	return made{after, told}, nil
}
