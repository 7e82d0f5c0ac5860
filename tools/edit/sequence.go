package edit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"companion/text"
	"companion/text/match"
	"companion/tools"
)

// rules say how the edits of one call are made.
type rules struct {
	name     string // of the file, for words
	moved    bool   // others changed the text since the model read it
	exact    string // why only an exact and unique match will do, "" = tolerance is safe
	indented bool   // indentation is syntax
	ending   string // of a file that has none yet
}

// made is what edits come to: a new text, or why not (none), or that it is there
// already (done).
type made struct {
	after  string
	places []int // 1-based lines of after where replacements begin, in the order of the edits
	notes  []string
	none   *tools.Refusal
	done   string
}

// sequence is edits that are made one after the other, each on what the one
// before left.
type sequence struct {
	rules
	after   string
	spans   []span // of after
	notes   []string
	already []int // lines
	left    []int // edits that are not there already
}

// span is bytes that an edit put.
type span struct{ start, end, edit int }

func replaceAll(source string, edits []replacement, r rules) made {
	q := &sequence{rules: r, after: source}
	for i, e := range edits {
		if wrong := q.make(i, e); wrong != "" {
			where := ""
			if len(edits) > 1 {
				where = fmt.Sprintf("edits[%d]: ", i)
			}
			if q.after != source {
				wrong = strings.TrimSuffix(wrong, "\n") + "\n(This is of the text that the edits before it would have left.)"
			}
			return made{after: source, none: tools.Fail("Not edited, nothing was changed. " + where + wrong)}
		}
	}
	switch {
	case len(q.spans) == 0 && len(q.already) > 0:
		return made{after: source, done: fmt.Sprintf("Already applied: %s holds the new text at line %s and not the old. Nothing was changed; do not repeat this edit.",
			r.name, listed(q.already))}
	case len(q.already) > 0:
		return made{after: source, none: tools.Fail(fmt.Sprintf("Not edited, nothing was changed. %d of the %d edits are in %s already (line %s). Send only the others: edits[%s].",
			len(q.already), len(edits), r.name, listed(q.already), listed(q.left)))}
	case q.after == source:
		return made{after: source, none: tools.Fail("Not edited, nothing was changed. Together the edits change nothing.")}
	}
	out := made{after: q.after, notes: q.notes}
	for _, s := range q.spans {
		before := q.after[:s.start]
		line := strings.Count(before, "\n") + 1
		if alone := strings.Count(before, "\r"); alone > 0 {
			line += alone - strings.Count(before, "\r\n")
		}
		out.places = append(out.places, line)
	}
	return out
}

// make makes one edit; it gives why not.
func (q *sequence) make(i int, e replacement) string {
	u := unify(q.after)
	old, fresh := strings.TrimPrefix(unify(e.Old).text, "\ufeff"), unify(e.New).text
	switch {
	case unify(e.Old).text == fresh:
		return "old and new are identical."
	case e.Old == "" && q.after != "":
		return fmt.Sprintf("old is empty, but %s has text. Give the text to replace, with new holding it and what is added, or use write for the whole file.", q.name)
	case e.Old == "":
		put := strings.TrimPrefix(e.New, "\ufeff")
		if q.ending != "" {
			put = text.WithEnding(put, q.ending)
		}
		q.put(i, []text.Edit{{New: put}})
		return ""
	case old == "":
		return "old holds only a byte order mark. Give the text to replace."
	}
	pass, hits, fresh, note, wrong := q.find(u.text, old, fresh, e.All)
	there := len(hits) == 0 || pass.Guesses() || pass == match.Escapes || pass == match.TrimmedBoundary
	switch {
	case wrong != "":
		return wrong
	case there && applied(u.text, fresh, e.All) > 0:
		q.already = append(q.already, applied(u.text, fresh, e.All))
		return ""
	case len(hits) == 1 && q.moved && splits(u.text, hits[0]):
		return fmt.Sprintf("old is in %s only as part of a longer word, at line %d. The file changed since you last read it; read it again.%s",
			q.name, lineOf(u.text, hits[0].Start), closest(u.text, old))
	case len(hits) == 0:
		return fmt.Sprintf("old was not found in %s.%s%s", q.name, q.strict(), closest(u.text, old))
	case len(hits) > 1 && (!e.All || q.exact != ""):
		return q.ambiguous(u.text, pass, hits, e.All)
	}
	q.left = append(q.left, i)
	if note != "" {
		q.note(i, note)
	}
	return q.replace(i, u, pass, hits, fresh)
}

// splits reports whether a hit begins or ends inside a word: what somebody typed
// at the end of what the model read, say.
func splits(s string, h match.Hit) bool {
	if h.Start >= h.End {
		return false
	}
	word := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	last := func(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }
	first := func(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
	return word(last(s[:h.Start])) && word(first(s[h.Start:])) || word(last(s[:h.End])) && word(first(s[h.End:]))
}

// find seeks old, then old without line numbers, then by tolerant passes. fresh
// comes back without line numbers where old had them.
func (q *sequence) find(s, old, fresh string, all bool) (pass match.Pass, hits []match.Hit, clean, note, wrong string) {
	strict := match.Options{ExactOnly: true, All: all}
	if pass, hits = match.Find(s, old, strict); len(hits) > 0 {
		return pass, hits, fresh, "", ""
	}
	tolerant := match.Options{ExactOnly: q.exact != "", All: all, Indented: q.indented}
	bare, sign, _, ok := unnumbered(old)
	if ok && bare != "" {
		if pass, hits = match.Find(s, bare, tolerant); len(hits) > 0 {
			out, _, _, every := unnumbered(fresh)
			switch {
			case every:
				fresh = out
			case someNumbered(fresh, sign):
				return pass, hits, fresh, "", "old has line numbers on each line and new on some only. Send both without them."
			}
			return pass, hits, fresh, "The line numbers that read shows were taken off; leave them out.", ""
		}
	}
	pass, hits = match.Find(s, old, tolerant)
	return pass, hits, fresh, "", ""
}

func (q *sequence) strict() string {
	if q.exact == "" {
		return ""
	}
	return " " + q.exact
}

func (q *sequence) ambiguous(s string, pass match.Pass, hits []match.Hit, all bool) string {
	lines := make([]int, len(hits))
	for i, h := range hits {
		lines[i] = lineOf(s, h.Start)
	}
	how := fmt.Sprintf("old occurs %d times in %s, at lines %s.", len(hits), q.name, listed(lines))
	if pass != match.Exact {
		how = fmt.Sprintf("old is not in %s exactly, and by %v it fits %d places, at lines %s.", q.name, pass, len(hits), listed(lines))
	}
	if all {
		return how + q.strict() + " Read it, then repeat the edit."
	}
	return how + " Give more of the lines around the one that you mean, or set all."
}

// applied is the line at which new text stands already, also in another
// indentation, 0 for none. It is long enough for that to mean something, and
// stands there once, unless every place was meant: what is common proves nothing.
func applied(s, fresh string, all bool) int {
	if len(strings.TrimSpace(fresh)) < 8 {
		return 0
	}
	pass, hits := match.Find(s, fresh, match.Options{All: true})
	if (pass == match.Exact || pass == match.LineTrimmed) && (all || len(hits) == 1) {
		return lineOf(s, hits[0].Start)
	}
	return 0
}

// replace puts fresh at the hits and notes how they were found.
func (q *sequence) replace(i int, u unified, pass match.Pass, hits []match.Hit, fresh string) string {
	var all []text.Edit
	for _, h := range hits {
		line := lineOf(u.text, h.Start)
		put := h.Fit(u.text, fresh)
		if h.Start == 0 {
			put = strings.TrimPrefix(put, "\ufeff") // the file's own mark is kept
		}
		if atLine := h.Start == 0 || u.text[h.Start-1] == '\n'; atLine && len(hits) == 1 {
			if bare, did := copied(u.text[h.Start:h.End], put, line); did {
				put = bare
				q.note(i, "The line numbers in new were taken off; leave them out.")
			}
		}
		if pass != match.Exact {
			q.tolerated(i, u.text, pass, h, line, fresh)
		}
		all = append(all, u.edits(h.Start, h.End, put, q.ending)...)
	}
	if len(all) == 0 {
		return "new is what stands there already."
	}
	q.put(i, all)
	return ""
}

// put makes edits of after, which are sorted and apart, and keeps the spans of
// those before in step.
func (q *sequence) put(i int, edits []text.Edit) {
	after, err := text.Apply(q.after, edits)
	if err != nil {
		return // cannot be: hits are apart, and so are the edits of each
	}
	var over []int
	for n, s := range q.spans {
		start, end := s.start, s.end
		for _, e := range edits {
			grow := len(e.New) - (e.End - e.Start)
			switch {
			case e.End <= s.start:
				start, end = start+grow, end+grow
			case e.Start < s.end:
				end = max(start, end+grow)
				over = append(over, s.edit)
			}
		}
		q.spans[n].start, q.spans[n].end = start, end
	}
	if len(over) > 0 {
		q.note(i, fmt.Sprintf("It changed text that edits[%d] of the same call had put.", over[0]))
	}
	shift := 0
	for _, e := range edits {
		q.spans = append(q.spans, span{e.Start + shift, e.Start + shift + len(e.New), i})
		shift += len(e.New) - (e.End - e.Start)
	}
	q.after = after
}

func (q *sequence) note(i int, note string) {
	q.notes = append(q.notes, fmt.Sprintf("edits[%d]: %s", i, note))
}

// Bounds of what is told of a tolerant match.
const (
	mostDifferences = 8
	mostNotes       = 12
)

// tolerated tells how old was found that is not there exactly, and in which
// lines it differs.
func (q *sequence) tolerated(i int, s string, pass match.Pass, h match.Hit, line int, fresh string) {
	if len(q.notes) >= mostNotes {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "old was not in the file exactly. It was matched at line %d by %v.", line, pass)
	if pass == match.Escapes && strings.Contains(fresh, `\`) {
		b.WriteString(` new was put as it is, its backslashes too: look whether \n and the like were meant as such.`)
	}
	diff := h.Differences(s)
	if len(diff) > 0 {
		b.WriteString(" Lines that differed:")
	}
	for n, d := range diff {
		if n == mostDifferences {
			fmt.Fprintf(&b, "\n  … and %d more", len(diff)-n)
			break
		}
		fmt.Fprintf(&b, "\n  line %d: old %s, file %s", d.Line+1, visible(d.Old), visible(d.There))
	}
	q.note(i, b.String())
}
