package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"companion/text"
	"companion/workspace/mirror"
)

// changeWait is how long after "applied" the editor's didChange may take
// (protocol.md, Edits).
const changeWait = 2 * time.Second

var errUnsupported = errors.New("the editor takes no edits")

// leftError marks a failure after which the buffer is neither as it was nor as
// it was to be.
type leftError struct{ err error }

func (e *leftError) Error() string { return e.err.Error() }
func (e *leftError) Unwrap() error { return e.err }

// movedError: the buffer is not what the edit was made for any more.
type movedError struct {
	now Snapshot
	why string // what the editor said
}

func (e *movedError) Error() string {
	return fmt.Sprintf("%v: the user changed it meanwhile%s", ErrStale, because(e.why))
}

func (e *movedError) Unwrap() error { return ErrStale }

// editBuffer turns a buffer from the state now to the text after, and returns
// the state in which it held it.
func (w *Workspace) editBuffer(ctx context.Context, ed Editor, label string, save bool, now Snapshot, after string) (Snapshot, error) {
	edit := FileEdit{
		URI: now.URI, Version: now.Version, Edits: text.Diff(now.Text, after),
		Before: now.Text, Label: label, Save: save, BaseHash: now.Hash,
	}
	for try := 1; ; try++ {
		x := w.mirror.Watch(now.Path, now.Text, after)
		answer, err := ed.ApplyEdit(ctx, edit)
		var beside *Snapshot
		if err == nil && answer.Applied {
			beside = w.await(now, after, x)
		}
		saw := w.mirror.Unwatch(now.Path, x)
		seen := w.mirror.Buffer(now.Path)
		landed := now
		landed.Dirty = seen.Dirty
		switch {
		case saw.Hit:
			landed.Text, landed.Hash, landed.Version = saw.Landed, mirror.Hash(saw.Landed), new(saw.Version)
			return landed, nil
		case beside != nil: // the user typed elsewhere before the editor told of the edit
			landed.Text, landed.Hash, landed.Version = after, mirror.Hash(after), beside.Version
			return landed, nil
		case err != nil:
			return Snapshot{}, fmt.Errorf("the editor was asked to apply the edit: %w", err)
		case answer.Unsupported || answer.Why == Unsupported || answer.Why == NotOpen:
			return Snapshot{}, errUnsupported
		case answer.Applied && saw.Seen > 0 && seen.Open && dropped(edit.Edits, now.Text, after, seen.Text):
			// Neovim says so of an edit that it dropped because its user typed.
			return Snapshot{}, &movedError{seen, "the editor did not apply the edit"}
		case answer.Applied:
			return Snapshot{}, notApplied(now.Text, after, seen, saw.Seen)
		case !seen.Open:
			return Snapshot{}, fmt.Errorf("%w: it was closed in the editor%s", ErrStale, because(answer.Reason))
		case seen.Text != now.Text:
			return Snapshot{}, &movedError{seen, answer.Reason}
		case answer.Why == ReadOnly:
			return Snapshot{}, fmt.Errorf("%w: it is read-only there%s", ErrRejected, because(answer.Reason))
		case try == 2 && (answer.Why == VersionMismatch || answer.Why == Conflicting):
			return Snapshot{}, fmt.Errorf("%w: the editor has another text%s", ErrStale, because(answer.Reason))
		case try == 2:
			return Snapshot{}, fmt.Errorf("%w%s", ErrRejected, because(answer.Reason))
		}
		edit.Version = seen.Version
	}
}

// await waits for the didChange after an edit. It gives the state that holds
// the edit next to what the user typed meanwhile, when that was told together.
func (w *Workspace) await(now Snapshot, after string, x *mirror.Watcher) (beside *Snapshot) {
	timer := time.NewTimer(changeWait)
	defer timer.Stop()
	for {
		select {
		case <-x.Done:
			return nil
		case <-x.Moved:
			if seen := w.mirror.Buffer(now.Path); seen.Open && mirror.Holds(now.Text, after, seen.Text) {
				return &seen
			}
		case <-timer.C:
			return nil
		}
	}
}

// dropped reports whether nothing of the edits, which make before into after, is
// in what the user made of before, and can still be made there; in doubt it says
// no.
func dropped(edits []text.Edit, before, after, seen string) bool {
	if _, ok := text.Merge(before, after, seen); !ok {
		return false // typed at the same place, or edited wrongly
	}
	theirs := text.Diff(before, seen)
	for _, e := range edits {
		for _, t := range theirs {
			if e.New == "" && t.End > t.Start || e.New != "" && strings.Contains(t.New, e.New) {
				return false
			}
		}
	}
	return len(theirs) > 0
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// notApplied says what was seen instead of the edit.
func notApplied(before, after string, seen Snapshot, states int) error {
	switch {
	case !seen.Open:
		return fmt.Errorf("%w: it said so, but closed the file", ErrNotApplied)
	case states == 0:
		return fmt.Errorf("%w: it said so, but sent no change within %v", ErrNotApplied, changeWait)
	case seen.Text == before:
		return fmt.Errorf("%w: it said so, but the buffer holds the old text", ErrNotApplied)
	}
	line, want, got := mirror.FirstDifference(after, seen.Text)
	return &leftError{fmt.Errorf("%w: it said so, but line %d of the buffer is %.80q instead of %.80q", ErrNotApplied, line+1, got, want)}
}

// undoBuffer takes an edit back, around what the user typed since elsewhere.
func (w *Workspace) undoBuffer(ctx context.Context, ed Editor, label string, was Snapshot, landed string) error {
	now := w.mirror.Buffer(was.Path)
	if !now.Open {
		return fmt.Errorf("%w: it was closed in the editor", ErrStale)
	}
	after, ok := text.Merge(landed, was.Text, now.Text)
	if !ok {
		return fmt.Errorf("%w: the same lines were changed since", ErrStale)
	}
	if after == now.Text {
		return nil
	}
	save := w.save(was.Dirty) && now.Text == landed // never what the user typed
	_, err := w.editBuffer(ctx, ed, "Take back: "+label, save, now, after)
	return err
}
