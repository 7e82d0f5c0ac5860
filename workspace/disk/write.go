package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Put writes next over old, or where nothing is when old does not exist; then
// it makes the folders that are missing. A file that is not old any more is
// ErrStale, one that came where nothing was ErrExists, a folder that became a
// link ErrOutside or ErrStale, a file whose mode forbids writing
// fs.ErrPermission. After an error the old file is there as it was. It returns
// what Restore needs.
func Put(s Spot, old, next File) (File, error) {
	dir, made, done, err := s.folder(!old.Exists)
	if err != nil {
		return next, err
	}
	defer done()
	next.made = made
	name := filepath.Base(s.Path)
	if err = old.still(dir, name); err == nil && old.Exists {
		err = writable(dir, name, old.Info)
	}
	if err == nil {
		err = replaceFile(dir, name, replacement{
			temp: s.Temp, data: next.Bytes, like: next.Info, fresh: !old.Exists, lazy: s.Lazy,
			last: func() error { return old.still(dir, name) },
		})
	}
	if err != nil {
		next.unmake()
		return next, fmt.Errorf("%s: %w", s.Path, err)
	}
	return next, nil
}

// Remove deletes old; a file that is not old any more is ErrStale.
func Remove(s Spot, old File) error {
	dir, _, done, err := s.folder(false)
	if err != nil {
		return err
	}
	defer done()
	name := filepath.Base(s.Path)
	if err = old.still(dir, name); err == nil {
		err = dir.Remove(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return nil
}

// Restore takes a Put back: wrote is what it returned, old what was there
// before. When another hand wrote since, that stays and the error is ErrStale.
func Restore(s Spot, wrote, old File) error {
	now, err := Read(context.Background(), s.Path, math.MaxInt64)
	if err != nil && !errors.Is(err, ErrBinary) {
		return err
	}
	if !now.Exists || !bytes.Equal(now.Bytes, wrote.Bytes) {
		return fmt.Errorf("%s: %w", s.Path, ErrStale)
	}
	if old.Exists {
		_, err = Put(s, now, old)
		return err
	}
	if err := Remove(s, now); err != nil {
		return err
	}
	wrote.unmake()
	return nil
}

// unmake removes the folders that were made for the file and are empty.
func (f File) unmake() {
	for i := len(f.made) - 1; i >= 0; i-- {
		if os.Remove(f.made[i]) != nil {
			return
		}
	}
}

// writable refuses to replace a file that its mode, or the system, protects:
// the rename alone would not care.
func writable(dir *os.Root, name string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%w: its mode is %v", fs.ErrPermission, info.Mode().Perm())
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|openNonblock, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// still is an error unless name is the file that was read.
func (f File) still(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.Exists {
			return fmt.Errorf("%w: it is not there any more", ErrStale)
		}
		return nil
	case err != nil:
		return err
	case !f.Exists:
		return ErrExists
	case !os.SameFile(info, f.Info) || info.Size() != f.Info.Size() || !info.ModTime().Equal(f.Info.ModTime()):
		return ErrStale
	}
	return nil
}
