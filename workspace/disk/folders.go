package disk

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Folders keeps the folders of many writes open, so that each is found once. It
// is for one goroutine, and is to be closed; the zero value is ready.
type Folders struct{ open map[string]folder }

type folder struct {
	dir  *os.Root
	info fs.FileInfo
}

// Close closes all folders.
func (f *Folders) Close() {
	for _, o := range f.open {
		o.dir.Close()
	}
	f.open = nil
}

// get is the folder of a path, if it is open and still what its path names.
func (f *Folders) get(path string) *os.Root {
	if f == nil {
		return nil
	}
	o, ok := f.open[filepath.Dir(path)]
	if !ok {
		return nil
	}
	if now, err := os.Lstat(filepath.Dir(path)); err != nil || !os.SameFile(now, o.info) {
		return nil
	}
	return o.dir
}

// put keeps a folder that was found; false: the caller is to close it.
func (f *Folders) put(path string, dir *os.Root) bool {
	if f == nil {
		return false
	}
	parent := filepath.Dir(path)
	if _, ok := f.open[parent]; ok {
		return false
	}
	info, err := dir.Stat(".")
	if err != nil {
		return false
	}
	if f.open == nil {
		f.open = map[string]folder{}
	}
	f.open[parent] = folder{dir, info}
	return true
}
