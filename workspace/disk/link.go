package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveLink deletes a symbolic link, not what it leads to; one that does not
// lead to target any more is ErrStale.
func RemoveLink(s Spot, target string) error {
	dir, _, err := s.open(false)
	if err != nil {
		return err
	}
	defer dir.Close()
	return removeLink(dir, s, target)
}

func removeLink(dir *os.Root, s Spot, target string) error {
	name := filepath.Base(s.Path)
	now, err := dir.Readlink(name)
	if err == nil && now != target {
		err = ErrStale
	}
	if err == nil {
		err = dir.Remove(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return nil
}

// MoveLink gives a symbolic link another name, under which it leads to target as
// before; the folders that are missing are made. Something at the new name is
// ErrExists.
func MoveLink(from, to Spot, target string) (err error) {
	dir, made, err := to.open(true)
	if err != nil {
		return err
	}
	defer dir.Close()
	defer func() {
		if err != nil {
			File{made: made}.unmake()
		}
	}()
	name := filepath.Base(to.Path)
	if err = dir.Symlink(target, name); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", to.Path, ErrExists)
	} else if err != nil {
		return err
	}
	if err = RemoveLink(from, target); err != nil {
		return errors.Join(err, dir.Remove(name))
	}
	return nil
}

// Recase gives a file another spelling of its name, where both name one file;
// two files are ErrExists.
func Recase(s Spot, old File, name string) error {
	dir, _, err := s.open(false)
	if err != nil {
		return err
	}
	defer dir.Close()
	was := filepath.Base(s.Path)
	if err := old.still(dir, was); err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	top, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer top.Close()
	names, err := top.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, n := range names {
		if n == name {
			return fmt.Errorf("%s: %w", filepath.Join(filepath.Dir(s.Path), name), ErrExists)
		}
	}
	return dir.Rename(was, name)
}
