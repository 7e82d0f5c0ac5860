package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"companion/text"
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

func (w *Workspace) watch(path, before, want string) *watcher {
	x := &watcher{want: want, exact: sameText(before, want), done: make(chan struct{})}
	k := keyOf(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers[k] = append(w.watchers[k], x)
	return x
}

func (w *Workspace) unwatch(path string, x *watcher) watcher {
	k := keyOf(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers[k] = slices.DeleteFunc(w.watchers[k], func(o *watcher) bool { return o == x })
	if len(w.watchers[k]) == 0 {
		delete(w.watchers, k)
	}
	return *x
}

// buffer is the state of an open document, Open false when it is closed.
func (w *Workspace) buffer(path string) Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.docAt(path); d != nil {
		return w.snapshotOf(d)
	}
	return Snapshot{}
}

// editBuffer turns a buffer from the state now to the text after, and returns
// the state in which it held it.
func (w *Workspace) editBuffer(ctx context.Context, ed Editor, label string, now Snapshot, after string) (Snapshot, error) {
	edit := FileEdit{
		URI: now.URI, Version: now.Version, Edits: text.Diff(now.Text, after),
		Before: now.Text, Label: label, Save: !now.Dirty, BaseHash: now.Hash,
	}
	for try := 1; ; try++ {
		x := w.watch(now.Path, now.Text, after)
		answer, err := ed.ApplyEdit(ctx, edit)
		if err == nil && answer.Applied {
			timer := time.NewTimer(changeWait)
			select {
			case <-x.done:
			case <-timer.C:
			}
			timer.Stop()
		}
		saw := w.unwatch(now.Path, x)
		seen := w.buffer(now.Path)
		switch {
		case saw.hit:
			landed := now
			landed.Text, landed.Hash, landed.Version, landed.Dirty = saw.landed, hashOf(saw.landed), ptr(saw.version), seen.Dirty
			return landed, nil
		case err != nil:
			return Snapshot{}, fmt.Errorf("the editor was asked to apply the edit: %w", err)
		case answer.Unsupported:
			return Snapshot{}, errUnsupported
		case answer.Applied:
			return Snapshot{}, notApplied(now.Text, after, seen, saw.seen)
		case !seen.Open:
			return Snapshot{}, fmt.Errorf("%w: it was closed in the editor%s", ErrStale, because(answer.Reason))
		case seen.Text != now.Text:
			return Snapshot{}, fmt.Errorf("%w: the user changed it meanwhile%s", ErrStale, because(answer.Reason))
		case try == 2:
			return Snapshot{}, fmt.Errorf("%w%s", ErrRejected, because(answer.Reason))
		}
		edit.Version = seen.Version
	}
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
	line, want, got := firstDifference(after, seen.Text)
	return &leftError{fmt.Errorf("%w: it said so, but line %d of the buffer is %.80q instead of %.80q", ErrNotApplied, line+1, got, want)}
}

func firstDifference(a, b string) (line int, inA, inB string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for line < len(x) && line < len(y) && x[line] == y[line] {
		line++
	}
	if line < len(x) {
		inA = x[line]
	}
	if line < len(y) {
		inB = y[line]
	}
	return line, inA, inB
}

// undoBuffer takes an edit back, around what the user typed since elsewhere.
func (w *Workspace) undoBuffer(ctx context.Context, ed Editor, label string, was Snapshot, landed string) error {
	now := w.buffer(was.Path)
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
	now.Dirty = was.Dirty || now.Text != landed // not to save what the user typed
	_, err := w.editBuffer(ctx, ed, "Take back: "+label, now, after)
	return err
}
