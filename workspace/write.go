package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"companion/text"
)

// runDisk makes one change on disk, tells the observers and sets s.undo.
func (w *Workspace) runDisk(s *step) error {
	switch s.Kind {
	case Delete:
		if err := w.remove(s.file, s.disk); err != nil {
			return err
		}
		s.undo = func(context.Context) error { _, err := w.put(s.file, diskFile{}, s.disk); return err }
		return nil
	case Rename:
		return w.rename(s)
	}
	next, err := s.disk.with(s.After)
	if err != nil {
		return err
	}
	wrote, err := w.put(s.file, s.disk, next)
	if err != nil {
		return err
	}
	s.undo = func(context.Context) error { return w.restore(s.file, wrote, s.disk) }
	return nil
}

// rename writes the new name before the old one goes.
func (w *Workspace) rename(s *step) error {
	next, err := s.disk.with(s.After)
	if err != nil {
		return err
	}
	wrote, err := w.put(s.file, diskFile{}, next)
	if err != nil {
		return err
	}
	if err := w.remove(s.source, s.disk); err != nil {
		if back := w.restore(s.file, wrote, diskFile{}); back != nil {
			err = errors.Join(&leftError{err}, back)
		}
		return fmt.Errorf("%s: %w", s.From, err)
	}
	s.undo = func(context.Context) error {
		_, err := w.put(s.source, diskFile{}, s.disk)
		return errors.Join(err, w.restore(s.file, wrote, diskFile{}))
	}
	return nil
}

// with is the file with another text in the same format.
func (f diskFile) with(s string) (diskFile, error) {
	b, err := text.Encode(s, f.format)
	if err != nil {
		return diskFile{}, err
	}
	return diskFile{exists: true, bytes: b, text: s, format: f.format, info: f.info}, nil
}

// restore undoes put and remove, unless another hand wrote since.
func (w *Workspace) restore(f File, wrote, old diskFile) error {
	now, err := w.readDisk(context.Background(), f.Path)
	if err != nil && !errors.Is(err, ErrBinary) {
		return err
	}
	if !bytes.Equal(now.bytes, wrote.bytes) || !now.exists {
		return ErrStale
	}
	if old.exists {
		_, err = w.put(f, now, old)
		return err
	}
	if err := w.remove(f, now); err != nil {
		return err
	}
	for i := len(wrote.folders) - 1; i >= 0; i-- {
		if os.Remove(wrote.folders[i]) != nil {
			break // the user put something there
		}
	}
	return nil
}

// put writes next over old (or where nothing was, when old does not exist).
func (w *Workspace) put(f File, old, next diskFile) (diskFile, error) {
	dir, folders, err := w.openParent(f, !old.exists)
	next.folders = folders
	if err != nil {
		return next, err
	}
	defer dir.Close()
	name := filepath.Base(f.Path)
	if old.exists {
		if err := writable(dir, name, old.info); err != nil {
			return next, err
		}
	}
	unchanged := func() error { return old.still(dir, name) }
	if err := replaceFile(dir, name, next.bytes, next.info, !old.exists, unchanged); err != nil {
		return next, fmt.Errorf("%s: %w", f.Path, err)
	}
	w.noteDisk(f.Path, next, Event{Created: !old.exists}, true)
	return next, nil
}

func (w *Workspace) remove(f File, old diskFile) error {
	dir, _, err := w.openParent(f, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(f.Path)
	if err := old.still(dir, name); err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	w.noteDisk(f.Path, diskFile{}, Event{Deleted: true}, true)
	return nil
}

// writable refuses to replace a file that its mode, or the system, protects.
func writable(dir *os.Root, name string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return &fs.PathError{Op: "write", Path: info.Name(), Err: fs.ErrPermission}
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|openNonblock, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// still is an error unless name is the file that was read.
func (f diskFile) still(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.exists {
			return fmt.Errorf("%w: it is not there any more", ErrStale)
		}
		return nil
	case err != nil:
		return err
	case !f.exists:
		return ErrExists
	case !os.SameFile(info, f.info) || info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime()):
		return ErrStale
	}
	return nil
}

// openParent opens the folder of a file so that a later swap of any folder on
// the way for a link cannot lead a write elsewhere: below a root it goes down
// without leaving it, and the folder found must be the one that the canonical
// path names. It returns the folders that it made.
func (w *Workspace) openParent(f File, create bool) (*os.Root, []string, error) {
	parent := filepath.Dir(f.Path)
	w.mu.Lock()
	root, rel, inside := w.rootOf(f.Path)
	w.mu.Unlock()
	if !inside {
		root, rel = parent, filepath.Base(f.Path)
	}
	var made []string
	if create {
		made = missing(parent)
		if !inside {
			if err := os.MkdirAll(parent, 0o777); err != nil {
				return nil, nil, err
			}
		}
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, err
	}
	dir := top
	if below := filepath.Dir(filepath.FromSlash(rel)); below != "." {
		defer top.Close()
		if len(made) > 0 {
			if err := top.MkdirAll(below, 0o777); err != nil {
				return nil, nil, parentError(f, parent, err)
			}
		}
		if dir, err = top.OpenRoot(below); err != nil {
			return nil, nil, parentError(f, parent, err)
		}
	}
	opened, err := dir.Stat(".")
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Lstat(parent); err == nil && (!os.SameFile(opened, named) || canonical(parent) != parent) {
			err = fmt.Errorf("%w: its folder now leads to %s", ErrStale, canonical(parent))
		}
	}
	if err != nil {
		dir.Close()
		return nil, nil, parentError(f, parent, err)
	}
	return dir, made, nil
}

// parentError calls by its name the folder that became a link to elsewhere.
func parentError(f File, parent string, err error) error {
	if now := canonical(parent); now != parent && !errors.Is(err, ErrStale) {
		return fmt.Errorf("%s: %w: its folder now leads to %s (%w)", f.Path, ErrOutside, now, err)
	}
	return fmt.Errorf("%s: %w", f.Path, err)
}

// missing are the folders of path that do not exist, the outermost first.
func missing(path string) (out []string) {
	for {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			break
		}
		out = append([]string{path}, out...)
		path = filepath.Dir(path)
	}
	return out
}
