package hunk

import (
	"slices"

	"companion/text"
)

// Nobody is no turn.
const Nobody = "\x00"

// tally collects what became of the picked hunks of one turn.
type tally struct {
	f        File // as it was
	turn     string
	pick     func(id string) bool
	ended    []Resolved
	outcomes []HunkOutcome
}

func (t *tally) tell(id string, o Outcome, message string) {
	t.outcomes = append(t.outcomes, HunkOutcome{ID: id, Path: t.f.Path, Outcome: o, Message: message})
	if o == OutcomeKept || o == OutcomeUndone {
		t.ended = append(t.ended, Resolved{ID: id, State: State(o)})
	}
}

// done notes in f, where the hunks were, what became of them.
func (t *tally) done(f File) File {
	if len(t.ended) == 0 {
		return f
	}
	for _, h := range t.f.HunksOf(t.turn) {
		for i, r := range t.ended {
			if r.ID == h.ID {
				t.ended[i].Old, t.ended[i].New = h.OldRange, h.NewRange
			}
		}
	}
	f.end(t.turn, t.ended)
	return f
}

// Keep makes the picked hunks of a turn part of what was always there.
func (f File) Keep(turn string, pick func(id string) bool) (File, []HunkOutcome) {
	if f.Exists {
		f = f.Seen(true, f.Text, Nobody)
	}
	i := f.index(turn)
	if i < 0 {
		return f, nil
	}
	l, t := f.Layers[i], &tally{f: f, turn: turn}
	for _, p := range l.Pieces {
		if pick(p.ID) {
			t.tell(p.ID, OutcomeKept, "")
			l.Created, l.Deleted = false, false
		}
	}
	if l.RenameID != "" && pick(l.RenameID) {
		t.tell(l.RenameID, OutcomeKept, "")
		l.RenameID, l.From = "", ""
	}
	f = t.done(f)
	return f.put(l.drop(func(p Piece) bool { return pick(p.ID) })), t.outcomes
}

// undo takes the picked hunks of a turn back, in f alone: Path, Exists and Text
// are then what the file is to be.
func (f File) undo(turn string, pick func(id string) bool) (File, []HunkOutcome) {
	i := f.index(turn)
	if i < 0 {
		return f, nil
	}
	l, t := f.Layers[i], &tally{f: f, turn: turn, pick: pick}
	if l.Whole() {
		if id := l.Pieces[0].ID; pick(id) {
			next, why := f.undoWhole(l)
			if f = next; why == "" {
				t.tell(id, OutcomeUndone, "")
			} else {
				t.tell(id, OutcomeConflict, why)
			}
		}
	} else {
		f = f.undoPieces(l, t)
	}
	if l.RenameID != "" && pick(l.RenameID) {
		if !f.Exists {
			t.tell(l.RenameID, OutcomeStale, "the file is not there any more")
			return t.done(f), t.outcomes
		}
		t.tell(l.RenameID, OutcomeUndone, "")
		f.Path = l.From
		if i = f.index(turn); i >= 0 {
			l = f.Layers[i]
			l.RenameID, l.From = "", ""
			f = f.put(l)
		}
	}
	return t.done(f), t.outcomes
}

// undoWhole takes back the making or the taking away of the file; why tells
// why not.
func (f File) undoWhole(l Layer) (next File, why string) {
	switch {
	case l.Deleted && f.Exists:
		return f, "there is such a file again; it was left as it is"
	case l.Deleted:
		f.Format = l.Format
		l.Deleted, l.Text, l.Pieces = false, l.Pieces[0].Old, nil
		return f.put(l).Seen(true, l.Text, Nobody), ""
	case f.Exists && (l.Touched || f.Text != l.Text):
		return f, "the file was changed since it was created; it was not removed"
	}
	l.Created, l.Text, l.Pieces = false, "", nil
	return f.put(l).Seen(false, "", Nobody), ""
}

// undoPieces takes back the pieces that are picked and that Nobody changed.
func (f File) undoPieces(l Layer, t *tally) File {
	if !f.Exists || f.gone(f.index(l.Turn)) {
		for _, p := range l.Pieces {
			if t.pick(p.ID) {
				t.tell(p.ID, OutcomeStale, "the file is not there any more")
			}
		}
		return f
	}
	s := l.settle(f.Text)
	for _, p := range s.undone {
		if t.pick(p.ID) {
			t.tell(p.ID, OutcomeUndone, "")
		}
	}
	covered, spans := s.covered(), s.spans()
	back := map[string]bool{}
	var edits []text.Edit
	for i, p := range s.Pieces {
		switch {
		case !t.pick(p.ID):
		case covered[i]:
			t.tell(p.ID, OutcomeConflict, "these lines were changed since; they were left as they are")
		default:
			t.tell(p.ID, OutcomeUndone, "")
			back[p.ID] = true
			edits = append(edits, text.Edit{Start: spans[i].Start, End: spans[i].End, New: p.Old})
		}
	}
	now := must(text.Apply(f.Text, edits))
	return f.Seen(true, now, l.Turn).put(s.revert(func(p Piece) bool { return back[p.ID] }))
}

// UndoAll takes back what is picked, newest turn first; of one turn only when
// turn is not "".
func (f File) UndoAll(turn string, pick func(string) bool) (File, []HunkOutcome) {
	var out []HunkOutcome
	for _, l := range slices.Backward(f.Layers) {
		if turn == "" || l.Turn == turn {
			var o []HunkOutcome
			f, o = f.undo(l.Turn, pick)
			out = append(out, o...)
		}
	}
	return f, out
}

// Before is f without what is pending, of one turn or of all; of one layer also
// where others changed it since.
func (f File) Before(turn string) File {
	if turn == "" && len(f.Layers) == 1 {
		turn = f.Layers[0].Turn
	}
	if i := f.index(turn); i >= 0 && f.Exists && !f.Layers[i].Whole() {
		f.Text = f.Layers[i].settle(f.Text).base()
		return f
	}
	out, _ := f.UndoAll(turn, All)
	return out
}

// All picks every hunk.
func All(string) bool { return true }
