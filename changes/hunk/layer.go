package hunk

import (
	"slices"
	"strings"

	"companion/text"
)

// Piece is a hunk of a layer: the bytes [Start, End) of its text stand where
// Old stood.
type Piece struct {
	ID         string
	Call       string // the call that made it
	Start, End int
	Old        string
}

// inverse is the edit that takes the piece back.
func (p Piece) inverse() text.Edit { return text.Edit{Start: p.Start, End: p.End, New: p.Old} }

// Layer is what one turn changed in one file. Values are not changed in place.
type Layer struct {
	Turn string
	Num  int // of the turn in its thread: later is more
	// Text is the file's text without what others changed where it meets a piece.
	Text   string
	Pieces []Piece // sorted, apart
	// Created: the turn made the file. Deleted: it took it away, and the one
	// piece holds its text. Each has one piece for the whole file.
	Created, Deleted bool
	Touched          bool        // Created: Text holds changes of others
	Format           text.Format // Deleted: of the file
	From             string      // the turn renamed it from this path
	RenameID         string      // of the renaming, which is a hunk of its own
}

func (l Layer) Whole() bool { return l.Created || l.Deleted }

func (l Layer) Empty() bool { return len(l.Pieces) == 0 && l.RenameID == "" }

// base is the text without the turn's pieces.
func (l Layer) base() string {
	return l.revert(func(Piece) bool { return true }).Text
}

// revert takes back the pieces that f names.
func (l Layer) revert(f func(Piece) bool) Layer {
	var out strings.Builder
	var left []Piece
	last := 0
	for _, p := range l.Pieces {
		out.WriteString(l.Text[last:p.Start])
		last = p.End
		start := out.Len()
		if f(p) {
			out.WriteString(p.Old)
			continue
		}
		out.WriteString(l.Text[p.Start:p.End])
		p.Start, p.End = start, out.Len()
		left = append(left, p)
	}
	out.WriteString(l.Text[last:])
	l.Text, l.Pieces = out.String(), left
	return l
}

// drop makes the pieces that f names part of the base.
func (l Layer) drop(f func(Piece) bool) Layer {
	var left []Piece
	for _, p := range l.Pieces {
		if !f(p) {
			left = append(left, p)
		}
	}
	l.Pieces = left
	return l
}

// group is a place where pieces and changes of others meet.
type group struct {
	pieces []int       // of the layer's, by index
	edits  []text.Edit // of the layer's text
}

// settled is a layer brought up to a text of the file.
type settled struct {
	Layer
	over   []group // what remains between Layer.Text and that text
	undone []Piece // pieces that others took back, exactly
	back   []place // where they stood
}

// place is where others took pieces back.
type place struct {
	now   text.Span // of the present text
	wrote string    // what the pieces' turn had left there
}

// settle carries into l what others changed on the way to now. What meets no
// piece becomes part of the layer; what meets one stays over it.
func (l Layer) settle(now string) settled { return l.settleOn(now, nil) }

// settleOn is settle where pieces of earlier turns were taken back: those of l
// that stand on them are so, too.
func (l Layer) settleOn(now string, back []place) settled {
	if l.Whole() || l.Text == now {
		return settled{Layer: l}
	}
	groups := meet(l.Pieces, text.Diff(l.Text, now))
	var apply []text.Edit
	gone := map[int]bool{}
	out := settled{}
	shift := 0
	for _, g := range groups {
		at := l.placeOf(g, shift)
		for _, e := range g.edits {
			shift += growth(e)
		}
		switch {
		case len(g.edits) == 0:
		case len(g.pieces) == 0:
			apply = append(apply, g.edits...)
		case l.takenBack(g), slices.ContainsFunc(back, func(b place) bool { return l.standsOn(g, at, b) }):
			out.back = append(out.back, at)
			apply = append(apply, g.edits...)
			for _, i := range g.pieces {
				gone[i] = true
				out.undone = append(out.undone, l.Pieces[i])
			}
		default:
			out.over = append(out.over, g)
		}
	}
	at := shifter{edits: apply}
	var pieces []Piece
	index := map[int]int{}
	for i, p := range l.Pieces {
		if gone[i] {
			continue
		}
		d := at.before(p.Start)
		index[i] = len(pieces)
		p.Start, p.End = p.Start+d, p.End+d
		pieces = append(pieces, p)
	}
	at = shifter{edits: apply}
	for i, g := range out.over {
		moved := group{}
		for _, p := range g.pieces {
			moved.pieces = append(moved.pieces, index[p])
		}
		for _, e := range g.edits {
			d := at.before(e.Start)
			moved.edits = append(moved.edits, text.Edit{Start: e.Start + d, End: e.End + d, New: e.New})
		}
		out.over[i] = moved
	}
	out.Layer = l
	out.Pieces = pieces
	if len(out.over) == 0 {
		out.Text = now
	} else if len(apply) > 0 {
		out.Text = must(text.Apply(l.Text, apply))
	}
	return out
}

// must is for edits that were made to be apart.
func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// meet groups pieces and edits of one text by what clashes; in order.
func meet(pieces []Piece, edits []text.Edit) []group {
	var out []group
	var lastPiece, lastEdit *text.Edit // of the last group
	i, j := 0, 0
	for i < len(pieces) || j < len(edits) {
		isPiece := j == len(edits) || i < len(pieces) && first(pieces[i].inverse(), edits[j])
		var e text.Edit
		var other *text.Edit
		if isPiece {
			e, other = pieces[i].inverse(), lastEdit
		} else {
			e, other = edits[j], lastPiece
		}
		if len(out) == 0 || other == nil || !text.Clash(*other, e) {
			out = append(out, group{})
			lastPiece, lastEdit = nil, nil
		}
		g := &out[len(out)-1]
		if isPiece {
			g.pieces = append(g.pieces, i)
			lastPiece = &e
			i++
		} else {
			g.edits = append(g.edits, e)
			lastEdit = &e
			j++
		}
	}
	return out
}

// first orders a piece before an edit. Of an insertion where a piece begins the
// insertion goes first, as text.Apply puts it.
func first(p, e text.Edit) bool {
	if p.Start != e.Start {
		return p.Start < e.Start
	}
	return p.End < e.End
}

// placeOf is where g stands; the edits before it move it by shift.
func (l Layer) placeOf(g group, shift int) place {
	var all []text.Edit
	grow := 0
	for _, e := range g.edits {
		all, grow = append(all, e), grow+growth(e)
	}
	for _, i := range g.pieces {
		all = append(all, l.Pieces[i].inverse())
	}
	s := text.Span{Start: all[0].Start, End: all[0].End}
	for _, e := range all {
		s.Start, s.End = min(s.Start, e.Start), max(s.End, e.End)
	}
	return place{text.Span{Start: s.Start + shift, End: s.End + shift + grow}, l.Text[s.Start:s.End]}
}

// standsOn tells whether all of g, which stands at, was made of what an earlier
// turn wrote at b and is within b's text now.
func (l Layer) standsOn(g group, at, b place) bool {
	return b.now.Start <= at.now.Start && at.now.End <= b.now.End &&
		!slices.ContainsFunc(g.pieces, func(i int) bool {
			return l.Pieces[i].Old == "" || !strings.Contains(b.wrote, l.Pieces[i].Old)
		})
}

// takenBack tells whether the edits of g leave what the pieces' inverses leave.
func (l Layer) takenBack(g group) bool {
	start, end := g.edits[0].Start, g.edits[len(g.edits)-1].End
	inverses := make([]text.Edit, len(g.pieces))
	for i, n := range g.pieces {
		p := l.Pieces[n]
		start, end = min(start, p.Start), max(end, p.End)
		inverses[i] = p.inverse()
	}
	return splice(l.Text, start, end, inverses) == splice(l.Text, start, end, g.edits)
}

// splice is the bytes [start, end) of s with edits of s made.
func splice(s string, start, end int, edits []text.Edit) string {
	moved := make([]text.Edit, len(edits))
	for i, e := range edits {
		moved[i] = text.Edit{Start: e.Start - start, End: e.End - start, New: e.New}
	}
	return must(text.Apply(s[start:end], moved))
}

// shifter gives how far edits move what comes after them. It is asked in order.
type shifter struct {
	edits []text.Edit // sorted, apart
	next  int
	sum   int
}

// before is the shift of what begins at start.
func (s *shifter) before(start int) int {
	for s.next < len(s.edits) && s.edits[s.next].End <= start {
		s.sum += growth(s.edits[s.next])
		s.next++
	}
	return s.sum
}

func growth(e text.Edit) int { return len(e.New) - (e.End - e.Start) }

// edits are all that remains between the layer and the present text.
func (s settled) edits() []text.Edit {
	var out []text.Edit
	for _, g := range s.over {
		out = append(out, g.edits...)
	}
	return out
}

// covered tells of each piece whether others changed something over it.
func (s settled) covered() []bool {
	out := make([]bool, len(s.Pieces))
	for _, g := range s.over {
		for _, i := range g.pieces {
			out[i] = true
		}
	}
	return out
}

// spans are the bytes of the present text where each piece stands; with what
// others changed over it.
func (s settled) spans() []text.Span {
	out := make([]text.Span, len(s.Pieces))
	at := shifter{edits: s.edits()}
	covered := s.covered()
	for i, p := range s.Pieces {
		if !covered[i] {
			d := at.before(p.Start)
			out[i] = text.Span{Start: p.Start + d, End: p.End + d}
		}
	}
	shift := 0
	for _, g := range s.over {
		start, end := g.edits[0].Start, g.edits[len(g.edits)-1].End
		for _, i := range g.pieces {
			start, end = min(start, s.Pieces[i].Start), max(end, s.Pieces[i].End)
		}
		grow := 0
		for _, e := range g.edits {
			grow += growth(e)
		}
		for _, i := range g.pieces {
			out[i] = text.Span{Start: start + shift, End: end + shift + grow}
		}
		shift += grow
	}
	return out
}

// own puts an edit of the layer's turn, from before to after, into the layer.
// Where it stands on what others made of a piece, that piece cannot be undone
// any more, and the new one gives back what stood there. id names new pieces.
func (l Layer) own(before, after, call string, id func() string) (next Layer, ended []Resolved) {
	if l.Whole() {
		l.Touched = l.Touched || before != l.Text
		l.Text = after
		l.Pieces = []Piece{{ID: l.Pieces[0].ID, Call: call, End: len(after)}}
		return l, nil
	}
	s := l.settle(before)
	ended = resolvedAs(s.undone, StateUndone)
	edits := text.Diff(before, after)
	s, stale := s.fold(edits)
	ended = append(ended, resolvedAs(stale, StateStale)...)
	at := shifter{edits: text.Invert(s.Text, s.edits())}
	moved := make([]text.Edit, len(edits)) // of s.Text
	for i, e := range edits {
		d := at.before(e.Start)
		moved[i] = text.Edit{Start: e.Start + d, End: e.End + d, New: e.New}
	}
	next = s.Layer
	next.Text = must(text.Apply(s.Text, moved))
	next.Pieces, stale = recut(s.Layer, next.Text, call, id)
	return next, append(ended, resolvedAs(stale, StateUndone)...)
}

// fold makes part of the layer what others changed where it meets edits of the
// present text, and drops the pieces there.
func (s settled) fold(edits []text.Edit) (settled, []Piece) {
	back := text.Invert(s.Text, s.edits())
	drop := map[string]bool{}
	for _, g := range s.over {
		hit := false
		for _, b := range back[:len(g.edits)] {
			for _, e := range edits {
				hit = hit || e.Start <= b.End && b.Start <= e.End
			}
		}
		back = back[len(g.edits):]
		for _, i := range g.pieces {
			if hit {
				drop[s.Pieces[i].ID] = true
			}
		}
	}
	if len(drop) == 0 {
		return s, nil
	}
	now := must(text.Apply(s.Text, s.edits()))
	var stale []Piece
	l := s.drop(func(p Piece) bool {
		if drop[p.ID] {
			stale = append(stale, p)
		}
		return drop[p.ID]
	})
	return l.settle(now), stale
}

// recut gives the pieces between l's base and now. One that stands where a
// piece of l stood has its id; gone are those that no new one continues.
func recut(l Layer, now, call string, id func() string) (out, gone []Piece) {
	base, shift, next := l.base(), 0, 0
	starts := make([]int, len(l.Pieces)) // in base
	for i, p := range l.Pieces {
		starts[i] = p.Start + shift
		shift += growth(p.inverse())
	}
	shift = 0
	for _, e := range text.Diff(base, now) {
		p := Piece{Call: call, Start: e.Start + shift, Old: base[e.Start:e.End]}
		p.End = p.Start + len(e.New)
		shift += growth(e)
		for ; next < len(starts) && p.ID == "" && starts[next] <= e.End; next++ {
			if old := l.Pieces[next]; starts[next]+len(old.Old) >= e.Start {
				p.ID = old.ID
				if old.Old == p.Old && l.Text[old.Start:old.End] == e.New {
					p.Call = old.Call
				}
				continue
			}
			gone = append(gone, l.Pieces[next])
		}
		if p.ID == "" {
			p.ID = id()
		}
		out = append(out, p)
	}
	return out, append(gone, l.Pieces[next:]...)
}
