package changes

import (
	"slices"

	"companion/text"
)

// resolved is a hunk that is not pending any more.
type resolved struct {
	ID, Turn string
	State    State
	Old, New text.Range
}

func resolvedAs(list []piece, s State) []resolved {
	out := make([]resolved, len(list))
	for i, p := range list {
		out[i] = resolved{ID: p.ID, State: s}
	}
	return out
}

// keepDone is how many resolved hunks a file remembers.
const keepDone = 200

// file is what a thread knows of one file. Values are not changed in place.
type file struct {
	Path   string
	Exists bool
	Text   string      // as last seen at a change of the thread's own
	Format text.Format // of what is to be made again
	Layers []layer     // by turn, oldest first
	Done   []resolved
}

// seen brings the layers but one up to a text of the file.
func (f file) seen(exists bool, now string, but string) file {
	f.Exists, f.Text = exists, now
	if !exists {
		return f
	}
	f.Layers = slices.Clone(f.Layers)
	for i, l := range f.Layers {
		if l.Turn == but {
			continue
		}
		s := l.settle(now)
		f.Layers[i] = s.layer
		f.end(l.Turn, resolvedAs(s.undone, StateUndone))
	}
	return f.tidy()
}

// end notes what became of hunks.
func (f *file) end(turn string, list []resolved) {
	for _, r := range list {
		r.Turn = turn
		f.Done = append(slices.Clip(f.Done), r)
	}
	if n := len(f.Done) - keepDone; n > 0 {
		f.Done = slices.Clone(f.Done[n:])
	}
}

// tidy drops layers in which nothing is pending.
func (f file) tidy() file {
	f.Layers = slices.DeleteFunc(slices.Clone(f.Layers), layer.empty)
	return f
}

func (f file) index(turn string) int {
	return slices.IndexFunc(f.Layers, func(l layer) bool { return l.Turn == turn })
}

// put replaces the layer of l's turn, or adds it.
func (f file) put(l layer) file {
	f.Layers = slices.Clone(f.Layers)
	if i := f.index(l.Turn); i >= 0 {
		f.Layers[i] = l
	} else {
		f.Layers = append(f.Layers, l)
		slices.SortStableFunc(f.Layers, func(a, b layer) int { return a.Num - b.Num })
	}
	return f.tidy()
}

// author is who makes a change: a turn, by one call.
type author struct {
	turn, call string
	num        int
	id         func() string
}

// layer is the author's own, with nothing in it when there was none.
func (f file) layer(a author, now string) layer {
	if i := f.index(a.turn); i >= 0 {
		return f.Layers[i]
	}
	return layer{Turn: a.turn, Num: a.num, Text: now}
}

// edited is an edit of a's turn, from before to after.
func (f file) edited(a author, before, after string) file {
	f = f.seen(true, before, a.turn)
	next, ended := f.layer(a, before).own(before, after, a.call, a.id)
	f = f.seen(true, after, a.turn)
	f.end(a.turn, ended)
	return f.put(next)
}

// created is the making of the file by a's turn.
func (f file) created(a author, after string) file {
	l := f.layer(a, "")
	f = f.seen(true, after, a.turn)
	if l.Deleted { // it took the same file away before: a change
		id := l.Pieces[0].ID
		l.Text, l.Pieces, l.Deleted = l.Pieces[0].Old, nil, false
		next, _ := l.own(l.Text, after, a.call, func() string { return id })
		if len(next.Pieces) == 0 {
			f.end(a.turn, []resolved{{ID: id, State: StateUndone}})
		}
		for i := 1; i < len(next.Pieces); i++ {
			next.Pieces[i].ID = a.id()
		}
		return f.put(next)
	}
	for _, p := range l.Pieces { // somebody took the file away that the turn had edited
		f.end(a.turn, []resolved{{ID: p.ID, State: StateStale}})
	}
	l.Created, l.Touched, l.Text = true, false, after
	l.Pieces = []piece{{ID: a.id(), Call: a.call, End: len(after)}}
	return f.put(l)
}

// deleted is the taking away of the file, which held before, by a's turn.
func (f file) deleted(a author, before string, format text.Format) file {
	f = f.seen(true, before, a.turn)
	l := f.layer(a, before)
	f = f.seen(false, "", a.turn)
	old := before
	switch {
	case l.Created:
		f.end(a.turn, []resolved{{ID: l.Pieces[0].ID, State: StateUndone}})
		l.Created, l.Pieces, l.Text = false, nil, ""
		return f.put(l)
	default:
		if s := l.settle(before); len(s.over) == 0 {
			old = s.base()
		}
		f.end(a.turn, resolvedAs(l.Pieces, StateStale))
	}
	l.Deleted, l.Text, l.Format = true, "", format
	l.Pieces = []piece{{ID: a.id(), Call: a.call, Old: old}}
	return f.put(l)
}

// renamed is a's turn giving the file, which held before, another path and text.
func (f file) renamed(a author, path, before, after string) file {
	l := f.layer(a, before)
	from := f.Path
	switch {
	case l.Created: // made under its new name
	case l.From == path:
		f.end(a.turn, []resolved{{ID: l.RenameID, State: StateUndone}})
		l.From, l.RenameID = "", ""
	case l.From == "":
		l.From, l.RenameID = from, a.id()
	}
	f.Path = path
	if l.empty() {
		f.Layers = slices.DeleteFunc(slices.Clone(f.Layers), func(o layer) bool { return o.Turn == a.turn })
	} else {
		f = f.put(l)
	}
	return f.edited(a, before, after)
}
