package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"companion/workspace/place"
)

// Spot is a canonical path, and the root that it must not leave.
type Spot struct {
	Path string
	Root string // canonical; "" when Path lies in no root
	Rel  string // of Path from Root, slashes
	// Temp is the name of the temporary file of a Put, "" = one of its own.
	Temp string
	// Lazy: a Put's data need not be on the disk when it returns; see Sync.
	Lazy bool
	// Folders keeps what Put and Remove open; nil = nothing is kept.
	Folders *Folders
}

// folder is open, from Folders where it is there; done is to be called.
func (s Spot) folder(create bool) (dir *os.Root, made []string, done func(), err error) {
	if dir = s.Folders.get(s.Path); dir != nil {
		return dir, nil, func() {}, nil
	}
	if dir, made, err = s.open(create); err != nil {
		return nil, nil, nil, err
	}
	if s.Folders.put(s.Path, dir) {
		return dir, made, func() {}, nil
	}
	return dir, made, func() { dir.Close() }, nil
}

// open opens the folder of a spot. Below a root it goes down from there without
// leaving it, and the folder found must be the one that the canonical path
// names, now. create: folders that are not there are made, and returned.
func (s Spot) open(create bool) (dir *os.Root, made []string, err error) {
	parent := filepath.Dir(s.Path)
	if create {
		made = Missing(parent)
	}
	defer func() {
		if err != nil {
			File{made: made}.unmake()
			made, err = nil, s.explain(err)
		}
	}()
	if s.Root == "" {
		dir, err = openDir(parent, len(made) > 0)
	} else {
		dir, err = openBelow(s.Root, filepath.Dir(filepath.FromSlash(s.Rel)), len(made) > 0)
	}
	if err != nil {
		return nil, made, err
	}
	opened, err := dir.Stat(".")
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Lstat(parent); err == nil && !os.SameFile(opened, named) {
			err = ErrStale
		}
	}
	if now := place.Canonical(parent); err == nil && place.Key(now, place.Windows) != place.Key(parent, place.Windows) {
		err = ErrStale
	}
	if err != nil {
		dir.Close()
		return nil, made, err
	}
	return dir, made, nil
}

func openDir(path string, create bool) (*os.Root, error) {
	if create {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(path)
}

func openBelow(root, below string, create bool) (*os.Root, error) {
	top, err := os.OpenRoot(root)
	if err != nil || below == "." {
		return top, err
	}
	defer top.Close()
	if create {
		if err := top.MkdirAll(below, 0o777); err != nil {
			return nil, err
		}
	}
	return top.OpenRoot(below)
}

// explain calls the folder by its name that became a link to elsewhere.
func (s Spot) explain(err error) error {
	parent := filepath.Dir(s.Path)
	now := place.Canonical(parent)
	if now == parent {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	why := ErrStale
	if _, inside := place.Under(s.Root, now, place.Windows); s.Root != "" && !inside {
		why = ErrOutside
	}
	return fmt.Errorf("%s: %w: its folder now leads to %s (%w)", s.Path, why, now, err)
}

// Missing are the folders of path that do not exist, the outermost first.
func Missing(path string) (out []string) {
	for {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return out
		}
		out = append([]string{path}, out...)
		path = filepath.Dir(path)
	}
}
