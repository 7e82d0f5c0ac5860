package edit

import (
	"fmt"
	"sort"
	"strings"

	"companion/text"
	"companion/tools"
)

// unified is a text with every line ending as \n, and the way back.
type unified struct {
	text   string
	source string
	wide   []int // offsets in text of those \n that are \r\n in source
}

func unify(source string) unified {
	u := unified{source: source}
	if !strings.Contains(source, "\r") {
		u.text = source
		return u
	}
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		if source[i] != '\r' {
			b.WriteByte(source[i])
			continue
		}
		if i+1 < len(source) && source[i+1] == '\n' {
			u.wide = append(u.wide, b.Len())
			i++
		}
		b.WriteByte('\n')
	}
	u.text = b.String()
	return u
}

// offset in source of an offset in text.
func (u unified) offset(off int) int {
	return off + sort.SearchInts(u.wide, off)
}

// replaceAll applies the edits one after the other. It gives the new text and
// the 1-based lines where replacements begin, or why not (none), or that
// everything is done already.
func replaceAll(source string, edits []replacement, name string) (after string, places []int, none *tools.Refusal, done string) {
	var already []string
	fail := func(i int, format string, a ...any) (string, []int, *tools.Refusal, string) {
		where := ""
		if len(edits) > 1 {
			where = fmt.Sprintf("edits[%d]: ", i)
		}
		return source, nil, tools.Fail("Not edited, nothing was changed. " + where + fmt.Sprintf(format, a...)), ""
	}
	after = source
	for i, e := range edits {
		u := unify(after)
		old, fresh := unify(e.Old).text, unify(e.New).text
		if old == fresh {
			return fail(i, "old and new are identical.")
		}
		if old == "" {
			if after != "" {
				return fail(i, "old is empty, but %s has text. Give the text to replace, or use write for the whole file.", name)
			}
			after, places = e.New, append(places, 1)
			continue
		}
		hits := find(u.text, old, e.All)
		switch {
		case len(hits) == 0 && applied(u.text, fresh):
			already = append(already, fmt.Sprintf("line %d", lineOf(u.text, strings.Index(u.text, fresh))))
			continue
		case len(hits) == 0:
			return fail(i, "old was not found in %s.%s", name, closest(u.text, old))
		case len(hits) > 1 && !e.All:
			return fail(i, "old occurs %d times in %s, at lines %s. Give more of the lines around the one that you mean, or set all.",
				len(hits), name, linesOf(u.text, hits))
		}
		for _, h := range hits {
			places = append(places, lineOf(u.text, h))
		}
		after = u.replace(hits, old, fresh)
	}
	if len(places) == 0 {
		return source, nil, nil, fmt.Sprintf("Already applied: %s holds the new text at %s and not the old. Nothing was changed; do not repeat this edit.",
			name, strings.Join(already, ", "))
	}
	if len(already) > 0 {
		return fail(0, "%d of the %d edits are in %s already (%s). Send only the others.", len(already), len(edits), name, strings.Join(already, ", "))
	}
	if after == source {
		return fail(0, "together the edits change nothing.")
	}
	return after, places, nil, ""
}

// find gives the offsets of old: for one that must be unique also those that
// overlap, since any of them might be meant.
func find(s, old string, all bool) []int {
	var hits []int
	step := 1
	if all {
		step = len(old)
	}
	for from := 0; from <= len(s)-len(old); {
		i := strings.Index(s[from:], old)
		if i < 0 {
			break
		}
		hits = append(hits, from+i)
		from += i + step
	}
	return hits
}

// applied tells whether new text is there instead of old, and is long enough
// for that to mean something.
func applied(s, fresh string) bool {
	return len(strings.TrimSpace(fresh)) >= 8 && strings.Contains(s, fresh)
}

// replace puts fresh for old at the hits. Lines that old and fresh share keep
// their bytes; new line endings are those of the replaced span, else of the
// whole text.
func (u unified) replace(hits []int, old, fresh string) string {
	var edits []text.Edit
	inner := text.Diff(old, fresh)
	for _, h := range hits {
		start, end := u.offset(h), u.offset(h+len(old))
		ending, _ := text.Ending(u.source[start:end])
		if ending == "" {
			ending, _ = text.Ending(u.source)
		}
		for _, e := range inner {
			edits = append(edits, text.Edit{
				Start: u.offset(h + e.Start), End: u.offset(h + e.End), New: text.WithEnding(e.New, ending),
			})
		}
	}
	out, err := text.Apply(u.source, edits)
	if err != nil {
		return u.source // cannot happen: hits do not overlap and inner is sorted
	}
	return out
}

func lineOf(s string, off int) int { return strings.Count(s[:off], "\n") + 1 }

func linesOf(s string, hits []int) string {
	const most = 20
	out := make([]string, 0, most)
	for _, h := range hits[:min(most, len(hits))] {
		out = append(out, fmt.Sprint(lineOf(s, h)))
	}
	if len(hits) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
