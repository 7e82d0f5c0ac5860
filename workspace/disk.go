package workspace

import (
	"context"
	"errors"
	"fmt"

	"companion/workspace/disk"
	"companion/workspace/mirror"
)

// Read gives the state of a file: the open buffer's, else the disk's. Nothing
// there is no error but Exists false. A folder, device, socket or FIFO is
// ErrNotFile (and is not opened), bytes that are no text ErrBinary, more than
// Options.MaxFile ErrTooLarge, a buffer of a text that is not known ErrLost.
func (w *Workspace) Read(ctx context.Context, path string) (Snapshot, error) {
	f, err := w.locate(path, w.Resolve)
	if err != nil {
		return Snapshot{}, err
	}
	return w.ReadFile(ctx, f)
}

// ReadFile is Read for a file that Resolve gave.
func (w *Workspace) ReadFile(ctx context.Context, f File) (Snapshot, error) {
	if now := w.mirror.Buffer(f.Path); now.Open {
		if now.Lost {
			return now, ErrLost
		}
		return now, nil
	}
	found, err := w.readDisk(ctx, f.Path)
	if err != nil {
		return Snapshot{File: f}, err
	}
	return mirror.OfDisk(f, found), nil
}

// locate is Resolve that also takes the Path of an open document that is no
// file.
func (w *Workspace) locate(path string, resolve func(string) (File, error)) (File, error) {
	if w.mirror.IsVirtual(path) {
		return mirror.Virtual(path), nil
	}
	return resolve(path)
}

func (w *Workspace) readDisk(ctx context.Context, path string) (disk.File, error) {
	return disk.Read(ctx, path, w.maxFile)
}

func (w *Workspace) spot(f File) disk.Spot {
	root, rel, _ := w.roots.Of(f.Path)
	return disk.Spot{Path: f.Path, Root: root, Rel: rel}
}

// bytes is the file as the step writes it; it sets s.hash.
func (s *step) bytes() (next disk.File, err error) {
	if s.next.Exists && s.next.Text == s.After && s.next.Format == s.disk.Format {
		s.next.Info = s.disk.Info
		return s.next, nil
	}
	next = s.disk
	if !s.binary {
		if next, err = s.disk.With(s.After); err != nil {
			return next, err
		}
	}
	s.hash = mirror.Hash(s.After)
	next.Hash, s.next = s.hash, next
	return next, nil
}

// target is where a step writes.
func (w *Workspace) target(s *step) disk.Spot {
	at := w.spot(s.file)
	at.Temp, at.Lazy, at.Folders = s.temp, s.lazy, s.dirs
	return at
}

// runDisk makes one change on disk, tells the observers and sets s.undo.
func (w *Workspace) runDisk(s *step) error {
	switch s.Kind {
	case Delete:
		if err := w.remove(s.file, s.disk); err != nil {
			return err
		}
		s.undo = func(context.Context) error { return w.write(w.spot(s.file), s.file, disk.File{}, &s.disk) }
		return nil
	case Rename:
		return w.rename(s)
	}
	next, err := s.bytes()
	if err != nil {
		return err
	}
	if err := w.write(w.target(s), s.file, s.disk, &next); err != nil {
		return err
	}
	s.undo = func(context.Context) error { return w.restore(s.file, next, s.disk) }
	return nil
}

// rename writes the new name before the old one goes.
func (w *Workspace) rename(s *step) error {
	next, err := s.bytes()
	if err != nil {
		return err
	}
	if err := w.write(w.target(s), s.file, disk.File{}, &next); err != nil {
		return err
	}
	if err := w.remove(s.source, s.disk); err != nil {
		if back := w.restore(s.file, next, disk.File{}); back != nil {
			return &leftError{errors.Join(err, back)}
		}
		return err
	}
	s.undo = func(context.Context) error {
		err := w.write(w.spot(s.source), s.source, disk.File{}, &s.disk)
		return errors.Join(err, w.restore(s.file, next, disk.File{}))
	}
	return nil
}

func (w *Workspace) write(to disk.Spot, f File, old disk.File, next *disk.File) (err error) {
	if *next, err = disk.Put(to, old, *next); err != nil {
		return err
	}
	w.mirror.NoteDisk(f.Path, *next, Event{Created: !old.Exists}, true)
	return nil
}

func (w *Workspace) remove(f File, old disk.File) error {
	if err := disk.Remove(w.spot(f), old); err != nil {
		return err
	}
	w.mirror.NoteDisk(f.Path, disk.File{}, Event{Deleted: true}, true)
	return nil
}

func (w *Workspace) restore(f File, wrote, old disk.File) error {
	if err := disk.Restore(w.spot(f), wrote, old); err != nil {
		return err
	}
	w.mirror.NoteDisk(f.Path, old, Event{Deleted: !old.Exists}, true)
	return nil
}

// underBuffer prepares the disk write of a file that is open and clean in an
// editor that takes no edits.
func (w *Workspace) underBuffer(ctx context.Context, s *step) (err error) {
	if s.disk, err = w.readDisk(ctx, s.file.Path); err != nil {
		return err
	}
	if !s.disk.Exists {
		return fmt.Errorf("%w: it is not on disk", ErrStale)
	}
	if s.disk.Text != s.Before {
		return fmt.Errorf("%w: the disk holds another text than the editor shows", ErrStale)
	}
	return nil
}
