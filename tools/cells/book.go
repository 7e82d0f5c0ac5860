package cells

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"companion/tools"
)

// book is a notebook as its bytes are.
type book struct {
	text  string
	list  span // of the cells
	cells []cell
	ids   bool // cells have ids: nbformat 4.5 and later
	style style
}

// cell is one of a book's.
type cell struct {
	span
	members []member
	id      string
	kind    string // "code", "markdown" or "raw"
}

func (c cell) member(name string) (member, bool) {
	for _, m := range c.members {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

// open reads a notebook; what is none, or an older form, is a refusal.
func open(name, text string) (*book, error) {
	if !json.Valid([]byte(text)) {
		return nil, tools.Fail(fmt.Sprintf("Not edited: %s is no valid JSON, so that its cells cannot be told apart. Mend it with edit first.", name))
	}
	b := &book{text: text, list: span{-1, -1}}
	major, minor := 0, 0
	top := members(text, blanks(text, 0))
	for _, m := range top {
		raw := text[m.value.start:m.value.end]
		switch m.name {
		case "cells":
			b.list = m.value
		case "nbformat":
			major, _ = strconv.Atoi(raw)
		case "nbformat_minor":
			minor, _ = strconv.Atoi(raw)
		}
	}
	if b.list.start < 0 || text[b.list.start] != '[' || major != 0 && major != 4 {
		return nil, tools.Fail(fmt.Sprintf("Not edited: %s is no notebook of nbformat 4 (it has nbformat %d and %s). Use edit on its text.",
			name, major, map[bool]string{true: "no list of cells", false: "cells"}[b.list.start < 0]))
	}
	b.ids = major == 4 && minor >= 5
	for _, e := range elements(text, b.list.start) {
		c := cell{span: e, members: members(text, e.start)}
		if m, ok := c.member("id"); ok {
			c.id = unquote(text[m.value.start:m.value.end])
		}
		if m, ok := c.member("cell_type"); ok {
			c.kind = unquote(text[m.value.start:m.value.end])
		}
		b.cells = append(b.cells, c)
	}
	b.style = styleOf(text, top, b)
	return b, nil
}

// source is the text of a cell.
func (b *book) source(c cell) string {
	m, ok := c.member("source")
	if !ok {
		return ""
	}
	raw := []byte(b.text[m.value.start:m.value.end])
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var lines []string
	if json.Unmarshal(raw, &lines) != nil {
		return ""
	}
	return strings.Join(lines, "")
}

// outputs is how many outputs a cell has.
func (b *book) outputs(c cell) int {
	m, ok := c.member("outputs")
	if !ok {
		return 0
	}
	return len(elements(b.text, m.value.start))
}

// find gives the index of the cell that is named by its id, or by its number
// from 0 on, as read shows it.
func (b *book) find(name string) (int, bool) {
	for i, c := range b.cells {
		if c.id != "" && c.id == name {
			return i, true
		}
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(name), "cell-"))
	if err != nil || n < 0 || n >= len(b.cells) {
		return 0, false
	}
	return n, true
}

// Bounds of the list of cells in a refusal.
const (
	mostCells  = 30
	firstChars = 60
)

// contents lists the cells, for a call that named none of them.
func (b *book) contents() string {
	if len(b.cells) == 0 {
		return "It has no cells; insert one."
	}
	var out strings.Builder
	fmt.Fprintf(&out, "It has %d cells:", len(b.cells))
	for i, c := range b.cells {
		if i == mostCells {
			fmt.Fprintf(&out, "\n… and %d more", len(b.cells)-i)
			break
		}
		first, _, _ := strings.Cut(b.source(c), "\n")
		if r := []rune(first); len(r) > firstChars {
			first = string(r[:firstChars]) + "…"
		}
		fmt.Fprintf(&out, "\n%s: %s", b.label(i), first)
	}
	return out.String()
}

// label names a cell as find takes it.
func (b *book) label(i int) string {
	c := b.cells[i]
	if c.id == "" {
		return fmt.Sprintf("%d (%s)", i, c.kind)
	}
	return fmt.Sprintf("%d (%s, id %s)", i, c.kind, c.id)
}

// newID is an id that no cell has, the same for the same call.
func (b *book) newID(at int, source string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(fmt.Sprintf("%d %d %d %s", n, at, len(b.cells), source)))
		id := hex.EncodeToString(sum[:4])
		if _, taken := b.find(id); !taken {
			return id
		}
	}
}
