package lines

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"companion/workspace"
)

// mostKept bounds how many layouts are kept: 16 bytes for each block of 64 KiB of
// their files.
const mostKept = 32

// settled is how old a file's last change must be for what was learned of it to
// be kept: clocks of file systems step by up to 10 ms, so that a second change in
// the same step would not be seen.
const settled = 100 * time.Millisecond

// enough is how many bytes of a file are looked at beyond what is needed: all of
// most files, so that their lines can be counted.
const enough = 512 << 20

// Files gives texts of files on disk.
type Files struct {
	mu   sync.Mutex
	kept map[string]*entry
	uses int
	// block is the size in which files are looked at, in bytes; 0 = stride.
	block int
}

type entry struct {
	info   fs.FileInfo
	layout *layout
	used   int
}

// Open gives the text of a regular file; Close it. Of a file of more than 512 MiB
// only as much is looked at as it takes to find need lines (Text.More). Bytes that are no text are a
// text.ErrBinary, what is no regular file a workspace.ErrNotFile. It reads
// the file once, and again when its identity, size or time changed.
func (f *Files) Open(ctx context.Context, path string, need int) (*Text, error) {
	file, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	l, err := f.layout(ctx, path, file, effort{cmp.Or(f.block, stride), enough, need})
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &Text{layout: l, at: file, done: file.Close}, nil
}

// OpenFile opens a file for reading without waiting for a writer, should it be a
// pipe by now.
func OpenFile(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|openNonblock, 0) }

func (f *Files) layout(ctx context.Context, path string, file *os.File, e effort) (*layout, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, workspace.ErrNotFile)
	}
	if l := f.known(path, info); l != nil && (!l.more || l.lines >= e.need) {
		return l, nil
	}
	l, err := scan(ctx, file, info.Size(), "", e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if time.Since(info.ModTime()) > settled && (l.more || l.size == info.Size()) {
		f.keep(path, &entry{info: info, layout: l})
	}
	return l, nil
}

func (f *Files) known(path string, info fs.FileInfo) *layout {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.kept[path]
	if e == nil || !os.SameFile(e.info, info) || e.info.Size() != info.Size() || !e.info.ModTime().Equal(info.ModTime()) {
		return nil
	}
	f.uses++
	e.used = f.uses
	return e.layout
}

func (f *Files) keep(path string, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil {
		f.kept = map[string]*entry{}
	}
	f.uses++
	e.used = f.uses
	f.kept[path] = e
	for len(f.kept) > mostKept {
		oldest := path
		for p, k := range f.kept {
			if k.used < f.kept[oldest].used {
				oldest = p
			}
		}
		delete(f.kept, oldest)
	}
}
