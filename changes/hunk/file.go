package hunk

import (
	"slices"

	"companion/text"
)

// Resolved is a hunk that is not pending any more.
type Resolved struct {
	ID, Turn string
	State    State
	Old, New text.Range
}

func resolvedAs(list []Piece, s State) []Resolved {
	out := make([]Resolved, len(list))
	for i, p := range list {
		out[i] = Resolved{ID: p.ID, State: s}
	}
	return out
}

// keepDone is how many resolved hunks a file remembers.
const keepDone = 200

// File is what a thread knows of one file. Values are not changed in place.
type File struct {
	Path   string
	Aside  string // not "": the turn took it away and another file has its path; the hunk's id
	Exists bool
	Text   string      // as last seen at a change of the thread's own
	Format text.Format // of what is to be made again
	Layers []Layer     // by turn, oldest first
	Done   []Resolved
}

// Seen brings the layers but one up to a text of the file.
func (f File) Seen(exists bool, now string, but string) File {
	f.Exists, f.Text = exists, now
	if !exists {
		return f
	}
	f.Layers = slices.Clone(f.Layers)
	if last := len(f.Layers) - 1; but == Nobody && last >= 0 && f.Layers[last].Deleted && f.Aside == "" && f.Layers[last].Pieces[0].Old == now {
		l := f.Layers[last] // somebody made again what the turn took away
		f.end(l.Turn, resolvedAs(l.Pieces, StateUndone))
		l.Deleted, l.Text, l.Pieces = false, now, nil
		f.Layers[last] = l
	}
	var back []place // of earlier turns
	for i, l := range f.Layers {
		if l.Turn == but || f.gone(i) {
			continue
		}
		s := l.settleOn(now, back)
		back = append(back, s.back...)
		f.Layers[i] = s.Layer
		f.end(l.Turn, resolvedAs(s.undone, StateUndone))
	}
	return f.tidy()
}

// gone tells whether a later turn took the file away: what has its path now is
// another one.
func (f File) gone(i int) bool {
	return slices.ContainsFunc(f.Layers[i+1:], func(l Layer) bool { return l.Deleted })
}

// SetAside is f making way for another file with its path; false when f is not
// one that a turn took away.
func (f File) SetAside() (File, bool) {
	for _, l := range f.Layers {
		if l.Deleted {
			f.Aside = l.Pieces[0].ID
			return f, true
		}
	}
	return f, false
}

// end notes what became of hunks.
func (f *File) end(turn string, list []Resolved) {
	for _, r := range list {
		r.Turn = turn
		f.Done = append(slices.Clip(f.Done), r)
	}
	if n := len(f.Done) - keepDone; n > 0 {
		f.Done = slices.Clone(f.Done[n:])
	}
}

// tidy drops layers in which nothing is pending.
func (f File) tidy() File {
	f.Layers = slices.DeleteFunc(slices.Clone(f.Layers), Layer.Empty)
	return f
}

func (f File) index(turn string) int {
	return slices.IndexFunc(f.Layers, func(l Layer) bool { return l.Turn == turn })
}

// put replaces the layer of l's turn, or adds it.
func (f File) put(l Layer) File {
	f.Layers = slices.Clone(f.Layers)
	if i := f.index(l.Turn); i >= 0 {
		f.Layers[i] = l
	} else {
		f.Layers = append(f.Layers, l)
		slices.SortStableFunc(f.Layers, func(a, b Layer) int { return a.Num - b.Num })
	}
	return f.tidy()
}

// Author is who makes a change: a turn, by one call.
type Author struct {
	Turn, Call string
	Num        int           // of the turn: later is more
	ID         func() string // names new hunks
}

// layer is the author's own, with nothing in it when there was none.
func (f File) layer(a Author, now string) Layer {
	if i := f.index(a.Turn); i >= 0 {
		return f.Layers[i]
	}
	return Layer{Turn: a.Turn, Num: a.Num, Text: now}
}

// Edited is an edit of a's turn, from before to after.
func (f File) Edited(a Author, before, after string) File {
	f = f.Seen(true, before, a.Turn)
	next, ended := f.layer(a, before).own(before, after, a.Call, a.ID)
	f = f.Seen(true, after, a.Turn)
	f.end(a.Turn, ended)
	return f.put(next)
}

// Created is the making of the file by a's turn.
func (f File) Created(a Author, after string) File {
	l := f.layer(a, "")
	f = f.Seen(true, after, a.Turn)
	if l.Deleted { // it took the same file away before: a change
		id := l.Pieces[0].ID
		l.Text, l.Pieces, l.Deleted = l.Pieces[0].Old, nil, false
		next, _ := l.own(l.Text, after, a.Call, func() string { return id })
		if len(next.Pieces) == 0 {
			f.end(a.Turn, []Resolved{{ID: id, State: StateUndone}})
		}
		for i := 1; i < len(next.Pieces); i++ {
			next.Pieces[i].ID = a.ID()
		}
		return f.put(next)
	}
	for _, p := range l.Pieces { // somebody took the file away that the turn had edited
		f.end(a.Turn, []Resolved{{ID: p.ID, State: StateStale}})
	}
	l.Created, l.Touched, l.Text = true, false, after
	l.Pieces = []Piece{{ID: a.ID(), Call: a.Call, End: len(after)}}
	return f.put(l)
}

// Deleted is the taking away of the file, which held before, by a's turn.
func (f File) Deleted(a Author, before string, format text.Format) File {
	f = f.Seen(true, before, a.Turn)
	l := f.layer(a, before)
	f = f.Seen(false, "", a.Turn)
	old := before
	switch {
	case l.Created:
		f.end(a.Turn, []Resolved{{ID: l.Pieces[0].ID, State: StateUndone}})
		l.Created, l.Pieces, l.Text = false, nil, ""
		return f.put(l)
	default:
		if s := l.settle(before); len(s.over) == 0 {
			old = s.base()
		}
		f.end(a.Turn, resolvedAs(l.Pieces, StateStale))
	}
	l.Deleted, l.Text, l.Format = true, "", format
	l.Pieces = []Piece{{ID: a.ID(), Call: a.Call, Old: old}}
	return f.put(l)
}

// Renamed is a's turn giving the file, which held before, another path and text.
func (f File) Renamed(a Author, path, before, after string) File {
	l := f.layer(a, before)
	from := f.Path
	switch {
	case l.Created: // made under its new name
	case l.From == path:
		f.end(a.Turn, []Resolved{{ID: l.RenameID, State: StateUndone}})
		l.From, l.RenameID = "", ""
	case l.From == "":
		l.From, l.RenameID = from, a.ID()
	}
	f.Path = path
	if l.Empty() {
		f.Layers = slices.DeleteFunc(slices.Clone(f.Layers), func(o Layer) bool { return o.Turn == a.Turn })
	} else {
		f = f.put(l)
	}
	return f.Edited(a, before, after)
}
