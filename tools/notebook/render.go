package notebook

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Bounds of one output as it is shown.
const (
	outputLines = 20
	outputChars = 2_000
)

// data puts what an output shows into words: its plain text, or else its Markdown
// or HTML; the rest by kind and size.
func data(out *Output, d map[string]lines) {
	shown := ""
	for _, kind := range []string{"text/plain", "text/markdown", "text/html"} {
		if text, ok := d[kind]; ok && out.Text == "" {
			out.Text, shown = string(text), kind
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(d)) {
		if kind != shown {
			out.Other = append(out.Other, fmt.Sprintf("%s, %d characters", kind, len(d[kind])))
		}
	}
}

// Text is the notebook as a model reads it: each cell behind a line with its
// number, id and kind, its outputs behind it, shortened.
func (n *Notebook) Text() string {
	escapes := regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	var b strings.Builder
	for i, c := range n.Cells {
		fmt.Fprintf(&b, "--- cell %d: %s", i, c.Type)
		if c.ID != "" {
			fmt.Fprintf(&b, ", id %s", c.ID)
		}
		if c.Run > 0 {
			fmt.Fprintf(&b, ", run [%d]", c.Run)
		}
		b.WriteString(" ---\n")
		if c.Source != "" {
			b.WriteString(strings.TrimSuffix(c.Source, "\n") + "\n")
		}
		for _, o := range c.Outputs {
			fmt.Fprintf(&b, "--- output of cell %d: %s ---\n", i, strings.Join(append([]string{o.Kind}, o.Other...), "; "))
			if text := shorten(escapes.ReplaceAllString(o.Text, "")); text != "" {
				b.WriteString(text + "\n")
			}
		}
	}
	return b.String()
}

// shorten keeps the head and the tail of an output.
func shorten(s string) string {
	s = strings.TrimSuffix(s, "\n")
	if list := strings.Split(s, "\n"); len(list) > outputLines {
		half := outputLines / 2
		s = strings.Join(list[:half], "\n") + fmt.Sprintf("\n(… %d lines of output left out …)\n", len(list)-2*half) + strings.Join(list[len(list)-half:], "\n")
	}
	if r := []rune(s); len(r) > outputChars {
		half := outputChars / 2
		s = string(r[:half]) + fmt.Sprintf("\n(… %d characters of output left out …)\n", len(r)-2*half) + string(r[len(r)-half:])
	}
	return s
}

// Summary is what stands before Text.
func (n *Notebook) Summary() string {
	lang := n.Language
	if lang == "" {
		lang = "unknown language"
	}
	cells := "cells"
	if len(n.Cells) == 1 {
		cells = "cell"
	}
	return fmt.Sprintf("(A Jupyter notebook, %s, %d %s, shown as text with outputs shortened. Change it with notebook_edit, by a cell's id or number.)\n", lang, len(n.Cells), cells)
}
