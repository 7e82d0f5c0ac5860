package changes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"companion/changes/hunk"
	"companion/workspace"
)

// picked are the hunks that a Selector names.
type picked struct {
	Selector
	ids map[string]bool // nil = all
}

func pick(sel Selector) picked {
	p := picked{Selector: sel}
	if len(sel.Hunks) > 0 {
		p.ids = map[string]bool{}
		for _, h := range sel.Hunks {
			for id := range strings.SplitSeq(h, "+") {
				p.ids[id] = true
			}
		}
	}
	return p
}

func (p picked) has(id string) bool { return p.ids == nil || p.ids[id] }

// files are the thread's files that the selector may name hunks of.
func (s *Store) selected(t *thread, p picked) []hunk.File {
	return slices.DeleteFunc(s.filesOf(t), func(f hunk.File) bool {
		return p.Path != "" && keyOf(p.Path) != keyOf(f.Path)
	})
}

// Keep makes hunks part of the base: they are the user's now. What is kept can
// not be undone here any more. The error is of the state folder or the context;
// what became of each hunk is in the outcomes.
func (s *Store) Keep(ctx context.Context, sel Selector) ([]HunkOutcome, error) {
	return s.resolve(ctx, sel, func(ctx context.Context, t *thread, f hunk.File, p picked) (hunk.File, []HunkOutcome, error) {
		var out []HunkOutcome
		for _, l := range f.Layers {
			if p.Turn == "" || p.Turn == l.Turn {
				var o []HunkOutcome
				f, o = f.Keep(l.Turn, p.has)
				out = append(out, o...)
			}
		}
		return f, out, nil
	})
}

// Undo puts back what stood where hunks stand, through workspace.Apply, each
// file at once: around what others changed, and not where they changed the same
// lines, which is a conflict. A file that a turn created is removed when it
// holds exactly what the turn wrote, one that it deleted is made again when
// there is none, a renamed one gets its name back.
func (s *Store) Undo(ctx context.Context, sel Selector) ([]HunkOutcome, error) {
	return s.resolve(ctx, sel, s.undoFile)
}

type resolver func(ctx context.Context, t *thread, f hunk.File, p picked) (hunk.File, []HunkOutcome, error)

func (s *Store) resolve(ctx context.Context, sel Selector, one resolver) ([]HunkOutcome, error) {
	t, err := s.thread(sel.Thread)
	if err != nil {
		return nil, err
	}
	out, paths, err := s.resolveAll(ctx, t, pick(sel), one)
	s.tell(t.id, paths)
	return out, err
}

func (s *Store) resolveAll(ctx context.Context, t *thread, p picked, one resolver) (out []HunkOutcome, paths []string, err error) {
	t.op.Lock()
	defer t.op.Unlock()
	var errs []error
	for _, f := range undoOrder(s.selected(t, p)) {
		if err := ctx.Err(); err != nil {
			errs = append(errs, err)
			break
		}
		snap, err := s.read(ctx, f.Path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.Path, err))
			continue
		}
		old := f
		var next hunk.File
		var outcomes []HunkOutcome
		if s.work(t, keyOf(f.Path), func() {
			next, outcomes, err = one(ctx, t, f.Seen(snap.Exists, snap.Text, hunk.Nobody), p)
		}) {
			paths = append(paths, f.Path)
		}
		errs = append(errs, err)
		if len(outcomes) == 0 {
			continue
		}
		out = append(out, outcomes...)
		if slices.ContainsFunc(outcomes, func(o HunkOutcome) bool { return o.Outcome == OutcomeKept || o.Outcome == OutcomeUndone }) {
			errs = append(errs, s.commit(t, old, next))
			paths = append(paths, old.Path, next.Path)
		}
	}
	out = append(out, s.stale(t, p, out)...)
	return out, paths, errors.Join(errs...)
}

// undoOrder puts files that go before those that get a name back, and these
// before those that come again.
func undoOrder(list []hunk.File) []hunk.File {
	rank := func(f hunk.File) int {
		for _, l := range f.Layers {
			switch {
			case l.Created:
				return 0
			case l.Deleted:
				return 3
			case l.RenameID != "":
				return 1
			}
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b hunk.File) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// stale answers for ids that named no pending hunk.
func (s *Store) stale(t *thread, p picked, told []HunkOutcome) []HunkOutcome {
	left := map[string]bool{}
	for id := range p.ids {
		left[id] = true
	}
	for _, o := range told {
		delete(left, o.ID)
	}
	var out []HunkOutcome
	for id := range left {
		o := HunkOutcome{ID: id, Outcome: OutcomeStale, Message: "there is no such pending change"}
		for _, f := range s.filesOf(t) {
			for _, r := range f.Done {
				if r.ID == id {
					o.Path, o.Message = f.Path, fmt.Sprintf("it was %s before", r.State)
				}
			}
		}
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b HunkOutcome) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// undoFile takes back what is picked of one file; f has seen its present text.
func (s *Store) undoFile(ctx context.Context, _ *thread, f hunk.File, p picked) (hunk.File, []HunkOutcome, error) {
	next, out := f.UndoAll(p.Turn, p.has)
	if next.Path == f.Path && next.Exists == f.Exists && next.Text == f.Text {
		return next, out, nil
	}
	c := inverse(f, next)
	c.AllowOutside = true // it was allowed to be changed
	_, err := s.ws.Apply(ctx, "Undo", []workspace.Change{c})
	if err == nil {
		return next, out, nil
	}
	for i, o := range out {
		if o.Outcome == OutcomeUndone {
			out[i].Outcome, out[i].Message = OutcomeConflict, why(err)
		}
	}
	if ctx.Err() != nil {
		return f, out, ctx.Err()
	}
	return f, out, nil
}

// inverse is the change from f to next.
func inverse(f, next hunk.File) workspace.Change {
	base := hashOf(f)
	switch {
	case !next.Exists:
		return workspace.Change{Kind: workspace.Delete, Path: f.Path, Base: base, Unsaved: true}
	case !f.Exists:
		return workspace.Change{Kind: workspace.Create, Path: next.Path, After: next.Text, Format: next.Format}
	case next.Path != f.Path:
		return workspace.Change{Kind: workspace.Rename, Path: next.Path, From: f.Path, Base: base, Before: f.Text, After: next.Text}
	}
	return workspace.Change{Kind: workspace.Modify, Path: f.Path, Base: base, Before: f.Text, After: next.Text, Merge: true}
}

func why(err error) string {
	var apply *workspace.ApplyError
	if errors.As(err, &apply) {
		err = apply.Err
	}
	switch {
	case errors.Is(err, workspace.ErrStale):
		return "these lines were changed meanwhile; they were left as they are"
	case errors.Is(err, workspace.ErrExists):
		return "there is another file of that name; both were left as they are"
	case errors.Is(err, workspace.ErrDirty):
		return "the file is open with unsaved changes; save it and undo again"
	}
	return err.Error()
}
