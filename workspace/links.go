package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"companion/workspace/disk"
	"companion/workspace/mirror"
	"companion/workspace/place"
)

// Link is a symbolic link as such, not the file that it leads to.
type Link struct {
	File          // of the link: its folder's symlinks are resolved, it itself is not
	Target string // as it is written in the link
}

// ResolveLink gives the link whose name is the last part of a path (see
// Resolve); false when that is no link. Nothing there is no link.
func (w *Workspace) ResolveLink(path string) (Link, bool) {
	at, err := w.unfollowed(path)
	if err != nil {
		return Link{}, false
	}
	target, err := os.Readlink(at)
	if err != nil {
		return Link{}, false
	}
	return Link{w.mirror.Identify(at), target}, true
}

// unfollowed is the canonical path of a name, whose last part may be a link.
func (w *Workspace) unfollowed(path string) (string, error) {
	abs, err := w.roots.Absolute(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(place.Canonical(filepath.Dir(abs)), filepath.Base(abs)), nil
}

// RemoveLink deletes a link. Errors are those of Apply.
func (w *Workspace) RemoveLink(ctx context.Context, l Link, outside bool) error {
	unlock, err := w.locks.Lock(ctx, []string{mirror.Key(l.Path)})
	if err != nil {
		return &ApplyError{Path: l.Path, Err: err}
	}
	defer unlock()
	if err = w.allowed(l.File, l.Path, outside); err == nil {
		err = disk.RemoveLink(w.spot(l.File), l.Target)
	}
	if err != nil {
		return &ApplyError{Path: l.Path, Err: err}
	}
	return nil
}

// MoveLink gives a link another path, whose last part is not followed; what is
// there is ErrExists. Errors are those of Apply.
func (w *Workspace) MoveLink(ctx context.Context, l Link, to string, outside bool) error {
	at, err := w.unfollowed(to)
	if err != nil {
		return &ApplyError{Path: to, Err: err}
	}
	f := w.mirror.Identify(at)
	unlock, err := w.locks.Lock(ctx, []string{mirror.Key(l.Path), mirror.Key(f.Path)})
	if err != nil {
		return &ApplyError{Path: l.Path, Err: err}
	}
	defer unlock()
	if err = w.allowed(l.File, l.Path, outside); err == nil {
		if err = w.allowed(f, f.Path, outside); err == nil {
			err = disk.MoveLink(w.spot(l.File), w.spot(f), l.Target)
		}
	}
	if err != nil {
		return &ApplyError{Path: f.Path, Err: err}
	}
	return nil
}

// SameName tells whether two paths are spellings of one file's name that differ
// in upper and lower case only, on a file system that does not tell them apart.
func (w *Workspace) SameName(from, to string) bool {
	a, errA := w.unfollowed(from)
	b, errB := w.unfollowed(to)
	if errA != nil || errB != nil || filepath.Dir(a) != filepath.Dir(b) || filepath.Base(a) == filepath.Base(b) || !strings.EqualFold(filepath.Base(a), filepath.Base(b)) {
		return false
	}
	x, errA := os.Lstat(a)
	y, errB := os.Lstat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// Recase gives a file another spelling of its name, in upper and lower case
// (SameName), on disk. A document that is open keeps the name that the editor
// knows, which still leads to the file. Errors are those of Apply.
func (w *Workspace) Recase(ctx context.Context, f File, name string, outside bool) error {
	unlock, err := w.locks.Lock(ctx, []string{mirror.Key(f.Path)})
	if err != nil {
		return &ApplyError{Path: f.Path, Err: err}
	}
	defer unlock()
	var found disk.File
	if err = w.allowed(f, f.Path, outside); err == nil {
		found, err = w.readDisk(ctx, f.Path)
	}
	if err == nil {
		err = disk.Recase(w.spot(f), found, name)
	}
	if err != nil {
		return &ApplyError{Path: f.Path, Err: err}
	}
	w.mirror.NoteDisk(f.Path, disk.File{}, Event{Deleted: true}, true)
	w.mirror.NoteDisk(filepath.Join(filepath.Dir(f.Path), name), found, Event{Created: true}, true)
	return nil
}
