package intent

import (
	"errors"
	"log/slog"
	"path/filepath"

	"companion/workspace/disk"
)

// Set collects what one set of changes is about to do. The nil Set takes
// everything and keeps nothing.
type Set struct {
	log   *Log
	token string
	files []File
	disk  int      // files that are not in a buffer
	puts  []string // paths
}

// Set begins a set.
func (l *Log) Set() *Set {
	if l == nil {
		return nil
	}
	return &Set{log: l, token: Token()}
}

// Buffer adds a file that an editor changes.
func (s *Set) Buffer(path string) {
	if s != nil {
		s.files = append(s.files, File{Path: path, Buffer: true})
	}
}

// Put adds a file that gets new bytes, and gives the name for its temporary
// file.
func (s *Set) Put(at disk.Spot, old, next disk.File) (temp string) {
	if s == nil {
		return ""
	}
	f := file(at, old)
	f.New, f.Temp = Hash(next.Bytes), disk.TempName(filepath.Base(at.Path), s.token)
	if !old.Exists {
		f.Made = disk.Missing(filepath.Dir(at.Path))
	}
	s.files = append(s.files, f)
	s.disk++
	s.puts = append(s.puts, at.Path)
	return f.Temp
}

// Remove adds a file that goes.
func (s *Set) Remove(at disk.Spot, old disk.File) {
	if s != nil {
		s.files = append(s.files, file(at, old))
		s.disk++
	}
}

func file(at disk.Spot, old disk.File) File {
	f := File{Path: at.Path, Root: at.Root, Rel: at.Rel, Existed: old.Exists, Old: old.Bytes}
	if old.Info != nil {
		f.Mode = uint32(old.Info.Mode())
	}
	return f
}

// Begin writes the set down. lazy: what it puts need not be brought to the disk
// file by file, complete does that; complete is to be called when the set is
// made or taken back. Errors are logged: nothing is recorded then, or complete
// could not do its part.
func (s *Set) Begin(label string, log *slog.Logger) (lazy bool, complete func()) {
	if s == nil || s.disk == 0 && len(s.files) < 2 {
		return false, func() {}
	}
	lazy = s.disk > 0 && len(s.files) > 1
	entry, err := s.log.Begin(label, s.files, lazy)
	if err != nil {
		log.Warn("changes are made without a record of them", "err", err)
		return false, func() {}
	}
	return lazy, func() {
		var late error
		if lazy {
			late = disk.Sync(s.puts)
		}
		if err := errors.Join(late, entry.End()); err != nil {
			log.Error("a set of changes is not surely on the disk, or not known to be complete", "err", err)
		}
	}
}
