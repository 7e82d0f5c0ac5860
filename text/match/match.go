package match

import "strings"

// Pass is one way of finding, from the strictest to the most forgiving.
type Pass int

// The passes in the order in which Find tries them. None: nothing was found.
const (
	None Pass = iota
	Exact
	// LineTrimmed forgives whitespace at the ends of lines, where the lines are
	// indented against each other as those that were sought.
	LineTrimmed
	// BlockAnchor takes blocks whose first and last line are right and whose
	// others are at least 65 % alike.
	BlockAnchor
	// Whitespace forgives also how much whitespace stands inside of lines.
	Whitespace
	// Indentation forgives any indentation.
	Indentation
	// Escapes takes \n, \t, \" and their kin for what they stand for.
	Escapes
	// TrimmedBoundary forgives whitespace before and after the whole.
	TrimmedBoundary
	// Context takes blocks of the same number of lines whose first and last line
	// are right, and at least half of the others.
	Context
)

// String names the pass as a model is told of it.
func (p Pass) String() string {
	return [...]string{
		"nothing", "exact", "line-trimmed (whitespace at the ends of lines does not count)",
		"block anchor (first and last line are right, the others alike)", "whitespace (its amount does not count)",
		"indentation (it does not count)", "escapes (read as the characters that they stand for)",
		"trimmed boundary (whitespace around it does not count)", "context (first and last line and half of the others are right)",
	}[p]
}

// Guesses tells whether a pass takes lines that hold other words than those
// that were sought.
func (p Pass) Guesses() bool { return p == BlockAnchor || p == Context }

// Options say which passes are safe.
type Options struct {
	// ExactOnly: no other pass.
	ExactOnly bool
	// All: every place is meant. Passes that guess, and TrimmedBoundary, are off.
	All bool
	// Indented: indentation means something, as in Python. Indentation is off,
	// and blocks whose lines are indented differently are not taken.
	Indented bool
}

// Hit is one place: the bytes [Start, End) of the text that was searched.
type Hit struct {
	Start, End int
	old        string // what was sought here, as the pass read it
	lines      bool   // whole lines were matched, so that lines can be compared
	pass       Pass
}

// Find gives the places of old in s by the first pass that finds any, from the
// first on. They may overlap, unless all of them are meant.
func Find(s, old string, o Options) (Pass, []Hit) {
	if old == "" {
		return None, nil
	}
	if hits := exact(s, old, o.All); len(hits) > 0 {
		return Exact, hits
	}
	if o.ExactOnly || weak(old) {
		return None, nil
	}
	f := newFinder(s, old, o)
	for _, p := range []struct {
		pass Pass
		off  bool
		find func() []Hit
	}{
		{LineTrimmed, false, func() []Hit { return f.equal(strings.TrimSpace, trimmed, true) }},
		{BlockAnchor, o.All, f.anchored},
		{Whitespace, false, func() []Hit { return f.equal(squeeze, squeezed, true) }},
		{Indentation, o.Indented, func() []Hit { return f.equal(squeeze, squeezed, false) }},
		{Escapes, false, f.unescaped},
		{TrimmedBoundary, o.All, f.bounded},
		{Context, o.All, f.context},
	} {
		if p.off {
			continue
		}
		var kept []Hit
		for _, h := range p.find() {
			if h.pass = p.pass; !tooLarge(s[h.Start:h.End], old) {
				kept = append(kept, h)
			}
		}
		if len(kept) > 0 {
			return p.pass, kept
		}
	}
	return None, nil
}

// exact gives the places of old: for one that must be unique also those that
// overlap, since any of them might be meant.
func exact(s, old string, all bool) (hits []Hit) {
	step := 1
	if all {
		step = len(old)
	}
	for from := 0; from <= len(s)-len(old); {
		i := strings.Index(s[from:], old)
		if i < 0 {
			break
		}
		hits = append(hits, Hit{Start: from + i, End: from + i + len(old), old: old, pass: Exact})
		from += i + step
	}
	return hits
}

// weak tells whether a text says too little to be sought with tolerance.
func weak(old string) bool { return !strings.ContainsFunc(old, isWord) }

// Bounds of a span against what was sought (docs/tools.md, edit).
const (
	moreLines, timesLines = 3, 2
	moreChars, timesChars = 500, 4
)

// tooLarge tells whether a span is far larger than what was sought.
func tooLarge(span, old string) bool {
	return lineCount(span) >= max(lineCount(old)+moreLines, timesLines*lineCount(old)) ||
		len(span) > max(len(old)+moreChars, timesChars*len(old))
}
