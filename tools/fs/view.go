package fs

import (
	"context"
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/lang"
	"companion/tools/lines"
	"companion/tools/outline"
	"companion/workspace"
)

// view renders the asked lines of a text and says what is missing.
type view struct {
	name string
	args readArgs
	b    strings.Builder
	part string // what the asked lines are, "" = lines
}

func (v *view) note(s string) { v.b.WriteString(s) }

func (v *view) charset(c text.Charset) {
	switch c {
	case text.CharsetLatin1:
		v.note("(The file is Latin-1; edits keep that.)\n")
	case text.CharsetUTF16LE, text.CharsetUTF16BE:
		v.note(fmt.Sprintf("(The file is %s; edits keep that.)\n", strings.ToUpper(string(c))))
	}
}

// symbol makes the lines of a declaration those that are asked for.
func (v *view) symbol(ctx context.Context, declare lang.Declarations, f workspace.File, content string) error {
	list, err := outline.Of(ctx, declare, f, content)
	if err != nil {
		return err
	}
	found := outline.Find(list, v.args.Symbol, v.args.Offset)
	switch {
	case len(found) == 0:
		text := fmt.Sprintf("%s declares no %q (%s).", v.name, v.args.Symbol, outline.Count(len(list)))
		if len(list) > 0 {
			text += " It declares:\n" + some(list)
		}
		return tools.Fail(text)
	case len(found) > 1:
		return tools.Fail(fmt.Sprintf("%s declares %q at %d places. Say which by its whole name, or by offset, a line within it:\n%s", v.name, v.args.Symbol, len(found), some(found)))
	}
	d := found[0]
	v.part = fmt.Sprintf("%s %s", d.Kind, d.Name)
	v.args.Offset = d.From
	if n := d.Last - d.From + 1; v.args.Limit <= 0 || v.args.Limit > n {
		v.args.Limit = n
	}
	return nil
}

// some lists declarations, at most 60.
func some(list []lang.Declaration) string {
	var b strings.Builder
	for _, d := range list[:min(len(list), 60)] {
		b.WriteString(outline.Line(d) + "\n")
	}
	if len(list) > 60 {
		fmt.Fprintf(&b, "(… and %d more: outline lists them.)\n", len(list)-60)
	}
	return b.String()
}

func (v *view) show(ctx context.Context, t *lines.Text) (string, error) {
	total := t.Lines()
	first := max(v.args.Offset, 1)
	if first > total && first > 1 {
		return "", tools.Fail(fmt.Sprintf("%s has %d lines; offset %d is past its end.", v.name, total, first))
	}
	if total == 0 {
		v.note("(The file is empty.)\n")
		return v.b.String(), nil
	}
	if v.args.Column > 1 {
		return v.rest(ctx, t, first)
	}
	limit := v.args.Limit
	if limit <= 0 || limit > readLines {
		limit = readLines
	}
	last := first - 1
	err := t.Read(ctx, first-1, limit, lineChars, func(l lines.Line) bool {
		line := fmt.Sprintf("%d\t%s%s\n", last+1, l.Text, cutNote(l, last+1))
		if v.b.Len()+len(line) > readBytes {
			return true
		}
		v.b.WriteString(line)
		last++
		return false
	})
	if err != nil {
		return "", err
	}
	v.end(first, last, total, t.More())
	return v.b.String(), nil
}

// end says which lines of how many they were, and how to go on.
func (v *view) end(first, last, total int, more bool) {
	whole := v.part != "" && last-first+1 >= v.args.Limit
	switch {
	case whole:
		fmt.Fprintf(&v.b, "(Lines %d to %d of %d: %s.)\n", first, last, total, v.part)
	case more:
		fmt.Fprintf(&v.b, "(Lines %d to %d of more than %d. Go on with offset %d.)\n", first, last, total, last+1)
	case last < total:
		fmt.Fprintf(&v.b, "(Lines %d to %d of %d. Go on with offset %d.)\n", first, last, total, last+1)
	case first > 1:
		fmt.Fprintf(&v.b, "(Lines %d to %d; that is the end of the file.)\n", first, last)
	}
}

// cutNote says that a line is cut and how to see its rest.
func cutNote(l lines.Line, number int) string {
	if !l.Cut {
		return ""
	}
	length := fmt.Sprintf("%d characters", l.Chars)
	if l.Chars < 0 {
		length = "very many characters"
	}
	return fmt.Sprintf("… (cut here: the line has %s; for its rest: offset %d, column %d)", length, number, lineChars+1)
}

// rest shows one line from a character on.
func (v *view) rest(ctx context.Context, t *lines.Text, number int) (string, error) {
	rest, ok, err := t.Rest(ctx, number-1, v.args.Column-1, readBytes-v.b.Len()-400) // leaves room for the words
	if err != nil {
		return "", err
	}
	if !ok {
		return "", tools.Fail(fmt.Sprintf("Line %d of %s has fewer than %d characters.", number, v.name, v.args.Column))
	}
	n := len([]rune(rest.Text))
	fmt.Fprintf(&v.b, "%d\t%s\n", number, rest.Text)
	if rest.Cut {
		fmt.Fprintf(&v.b, "(Line %d, characters %d to %d. Go on with offset %d, column %d.)\n", number, v.args.Column, v.args.Column+n-1, number, v.args.Column+n)
	} else {
		fmt.Fprintf(&v.b, "(Line %d from character %d to its end.)\n", number, v.args.Column)
	}
	return v.b.String(), nil
}
