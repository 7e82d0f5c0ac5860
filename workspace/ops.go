package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"companion/text"
	"companion/workspace/disk"
	"companion/workspace/mirror"
)

// Reach is what an editor can be asked besides edits of files that it has open.
type Reach struct {
	Closed                 bool // edits of files that it has not open
	Create, Delete, Rename bool
}

// Reacher is an Editor that says how far it reaches; one that is none takes
// edits of open files only, and the rest is written on disk.
type Reacher interface {
	Reach() Reach
}

// lookAgain is how often the disk is looked at for what an editor said it did.
const lookAgain = 20 * time.Millisecond

// asks tells whether the editor is to be asked to make s.
func (s *step) asks(editor Editor) bool {
	r, ok := editor.(Reacher)
	if !ok || s.binary && s.Kind == Rename { // whose bytes no edit can show
		return false
	}
	switch reach := r.Reach(); s.Kind {
	case Modify:
		return reach.Closed && !s.now.Open
	case Create:
		return reach.Create
	case Delete:
		return reach.Delete
	case Rename:
		return reach.Rename
	}
	return false
}

func (s *step) fileEdit(label string, save bool) FileEdit {
	e := FileEdit{URI: s.file.URI, Version: s.now.Version, Before: s.now.Text, Label: label, Save: save, BaseHash: s.now.Hash}
	switch s.Kind {
	case Create:
		e.Create, e.Before, e.BaseHash = true, "", ""
	case Delete:
		e.Delete = true
		return e
	case Rename:
		e.URI, e.RenameTo = s.source.URI, s.file.URI
	}
	e.Edits = text.Diff(e.Before, s.After)
	return e
}

// throughEditor makes a change that is more than an edit of an open buffer by
// the editor, and believes it when the files say so. errUnsupported: the disk
// is to be written instead.
func (w *Workspace) throughEditor(ctx context.Context, editor Editor, label string, s *step) (Applied, error) {
	out := Applied{File: s.file, Kind: s.Kind, From: s.source.Path, Before: s.Before, After: s.After, Format: s.disk.Format, Merged: s.merged}
	answer, err := editor.ApplyEdit(ctx, s.fileEdit(label, w.save(s.now.Dirty)))
	switch {
	case err != nil:
		return Applied{}, fmt.Errorf("the editor was asked to %s the file: %w", s.Kind, err)
	case answer.Applied:
		if !w.until(ctx, func() bool { return w.stands(ctx, s) }) {
			err := fmt.Errorf("%w: it said so, but within %v neither it nor the disk showed it", ErrNotApplied, changeWait)
			if !w.untouched(ctx, s) {
				err = &leftError{err}
			}
			return Applied{}, err
		}
	case answer.Unsupported, answer.Why == Unsupported, answer.Why == NotOpen, answer.Why == NotFound:
		return Applied{}, errUnsupported
	case answer.Why == VersionMismatch, answer.Why == Conflicting:
		return Applied{}, fmt.Errorf("%w: the editor has another text%s", ErrStale, because(answer.Reason))
	default:
		return Applied{}, fmt.Errorf("%w%s", ErrRejected, because(answer.Reason))
	}
	w.tellDisk(ctx, s)
	s.undo = func(ctx context.Context) error { return w.invert(ctx, editor, label, s) }
	if s.Kind == Delete {
		out.After, out.Saved = "", true
		return out, nil
	}
	b := w.mirror.Buffer(s.file.Path)
	out.Hash, out.Buffer, out.Version, out.Saved = mirror.Hash(s.After), b.Open, b.Version, !b.Open || !b.Dirty
	return out, nil
}

// until looks whether ok, for as long as an editor may take to tell.
func (w *Workspace) until(ctx context.Context, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeWait)
	defer cancel()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ok()
		}
	}
	return true
}

// stands tells whether the files are as s wants them.
func (w *Workspace) stands(ctx context.Context, s *step) bool {
	switch s.Kind {
	case Delete:
		return w.gone(ctx, s.file.Path)
	case Rename:
		return w.gone(ctx, s.source.Path) && w.holds(ctx, s.file.Path, s.now.Text, s.After)
	}
	return w.holds(ctx, s.file.Path, s.Before, s.After)
}

func (w *Workspace) gone(ctx context.Context, path string) bool {
	found, err := w.readDisk(ctx, path)
	return err == nil && !found.Exists && !w.mirror.Buffer(path).Open
}

func (w *Workspace) holds(ctx context.Context, path, before, after string) bool {
	now, err := w.Read(ctx, path)
	return err == nil && now.Exists && (mirror.Same(after, now.Text) || mirror.Holds(before, after, now.Text))
}

// untouched tells whether the files of s are as they were.
func (w *Workspace) untouched(ctx context.Context, s *step) bool {
	f := s.file
	switch s.Kind {
	case Create:
		return w.gone(ctx, f.Path)
	case Rename:
		if f = s.source; !w.gone(ctx, s.file.Path) {
			return false
		}
	}
	now, err := w.Read(ctx, f.Path)
	return err == nil && now.Exists && now.Text == s.now.Text
}

// tellDisk tells observers what the editor did on disk.
func (w *Workspace) tellDisk(ctx context.Context, s *step) {
	if s.Kind == Rename {
		w.mirror.NoteDisk(s.source.Path, disk.File{}, Event{Deleted: true}, false)
	}
	found, err := w.readDisk(ctx, s.file.Path)
	if err == nil && (found.Exists || s.Kind == Delete) {
		w.mirror.NoteDisk(s.file.Path, found, Event{Deleted: !found.Exists, Created: s.Kind == Create || s.Kind == Rename}, false)
	}
}

// invert takes back what the editor did; what is lost on disk comes back with
// its bytes. Locks are held.
func (w *Workspace) invert(ctx context.Context, editor Editor, label string, s *step) error {
	back := &step{Change: Change{Path: s.file.Path, Base: mirror.Hash(s.After), Before: s.After, AllowOutside: true}, file: s.file}
	switch s.Kind {
	case Delete:
		return w.write(w.spot(s.file), s.file, disk.File{}, &s.disk)
	case Create:
		back.Kind, back.Unsaved = Delete, true
	case Rename:
		back.Kind, back.Path, back.From = Rename, s.source.Path, s.file.Path
		back.file, back.source, back.After = s.source, s.file, s.now.Text
	default:
		back.Kind, back.After, back.Merge = Modify, s.now.Text, true
	}
	back.made, back.wanted = back.Before, back.After
	if err := w.check(ctx, back); err != nil {
		return err
	}
	_, err := w.run(ctx, "Take back: "+label, back)
	return err
}

// retry makes a change with Merge once more, onto what the file became
// meanwhile. It is err unless that is what went wrong.
func (w *Workspace) retry(ctx context.Context, label string, s *step, err error) (Applied, error) {
	var left *leftError
	if !s.Merge || s.Kind != Modify || !errors.Is(err, ErrStale) || errors.As(err, &left) || s.undo != nil {
		return Applied{}, err
	}
	if e := w.load(ctx, s, s.file); e != nil || !s.now.Exists {
		return Applied{}, err
	}
	s.Before, s.After = s.made, s.wanted
	if e := s.current(); e != nil {
		return Applied{}, e
	}
	return w.once(ctx, label, s)
}
