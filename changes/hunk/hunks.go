package hunk

import (
	"slices"

	"companion/text"
)

// lines converts byte spans of one text to ranges.
func lines(x *text.Index, s text.Span) text.Range {
	return text.Range{Start: x.Position(s.Start, text.UTF16), End: x.Position(s.End, text.UTF16)}
}

// spot is a pending hunk with its bytes in the present text.
type spot struct {
	Hunk
	now    text.Span
	placed bool // it has a place in the present text
	num    int
}

// spots are the pending hunks of one layer; f has seen its present text.
func (f File) spots(l Layer, x *text.Index) []spot {
	var out []spot
	absent := !f.Exists || f.gone(f.index(l.Turn))
	add := func(id string, old, now text.Range, span text.Span, conflict bool) *spot {
		s := StatePending
		if absent && !l.Deleted {
			s = StateStale
		}
		out = append(out, spot{Hunk{ID: id, Turn: l.Turn, Path: f.Path, OldRange: old, NewRange: now, State: s, Conflict: conflict}, span, false, l.Num})
		return &out[len(out)-1]
	}
	switch {
	case l.Created:
		span := text.Span{End: len(x.Text())}
		add(l.Pieces[0].ID, text.Range{}, lines(x, span), span, f.Exists && (l.Touched || l.Text != f.Text)).placed = f.Exists
	case l.Deleted:
		old := text.NewIndex(l.Pieces[0].Old)
		add(l.Pieces[0].ID, lines(old, text.Span{End: len(old.Text())}), text.Range{}, text.Span{}, f.Exists)
	case absent:
		for _, p := range l.Pieces {
			add(p.ID, text.Range{}, text.Range{}, text.Span{}, true)
		}
	default:
		s := l.settle(f.Text)
		base, covered, shift := text.NewIndex(s.base()), s.covered(), 0
		for i, span := range s.spans() {
			p := s.Pieces[i]
			old := text.Span{Start: p.Start + shift, End: p.Start + shift + len(p.Old)}
			shift += growth(p.inverse())
			add(p.ID, lines(base, old), lines(x, span), span, covered[i]).placed = true
		}
	}
	if l.RenameID != "" {
		add(l.RenameID, text.Range{}, text.Range{}, text.Span{}, false)
	}
	return out
}

// HunksOf are the pending hunks of one turn.
func (f File) HunksOf(turn string) []Hunk {
	i := f.index(turn)
	if i < 0 {
		return nil
	}
	var out []Hunk
	for _, s := range f.spots(f.Layers[i], text.NewIndex(f.Text)) {
		out = append(out, s.Hunk)
	}
	return out
}

// Hunks are the pending hunks of all turns by place, those of several turns at
// one place joined.
func (f File) Hunks() []Hunk {
	x := text.NewIndex(f.Text)
	var list []spot
	for _, l := range f.Layers {
		list = append(list, f.spots(l, x)...)
	}
	if len(f.Layers) > 1 {
		list = f.join(list, x)
	}
	out := make([]Hunk, len(list))
	for i, s := range list {
		out[i] = s.Hunk
	}
	return out
}

// join makes one of hunks that share bytes, and gives all the old ranges that
// they have in the text before the first turn.
func (f File) join(list []spot, x *text.Index) []spot {
	slices.SortStableFunc(list, func(a, b spot) int {
		if a.now.Start != b.now.Start {
			return a.now.Start - b.now.Start
		}
		return a.num - b.num
	})
	before, _ := f.UndoAll("", All)
	base, edits := text.NewIndex(before.Text), text.Diff(f.Text, before.Text)
	var out []spot
	for _, s := range list {
		n := len(out) - 1
		if n < 0 || !s.placed || !out[n].placed || !share(out[n].now, s.now) {
			out = append(out, s)
			continue
		}
		o := &out[n]
		o.ID += "+" + s.ID
		o.now.End = max(o.now.End, s.now.End)
		o.NewRange = lines(x, o.now)
		o.Conflict = o.Conflict && s.Conflict
		if s.num > o.num {
			o.Turn, o.num = s.Turn, s.num
		}
	}
	for i, s := range out {
		if before.Exists && s.placed {
			out[i].OldRange = lines(base, carry(edits, s.now))
		}
	}
	return out
}

func share(a, b text.Span) bool {
	return a.Start < b.End && b.Start < a.End || a == b
}

// carry is where a span of a text stands after edits of the text, with all of
// each edit that it shares bytes with or, when it is empty, meets.
func carry(edits []text.Edit, s text.Span) text.Span {
	before, within, out := 0, 0, s
	for _, e := range edits {
		switch {
		case share(text.Span{Start: e.Start, End: e.End}, s), s.Start == s.End && e.Start <= s.Start && s.Start <= e.End:
			out.Start, out.End = min(out.Start, e.Start), max(out.End, e.End)
			within += growth(e)
		case e.End <= s.Start:
			before += growth(e)
		case e.Start < s.End:
			within += growth(e)
		}
	}
	return text.Span{Start: out.Start + before, End: out.End + before + within}
}
