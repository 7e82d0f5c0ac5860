package place

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Folders makes many paths canonical at one time: the folder of several is looked
// at once. It is for one short operation and one goroutine; the zero value is
// ready.
type Folders struct{ known map[string]string }

// Canonical is the function of that name.
func (f *Folders) Canonical(path string) string {
	dir, base := filepath.Split(path)
	if base == "" || base == ".." || base == "." {
		return Canonical(path)
	}
	canonical, ok := f.known[dir]
	if !ok {
		canonical = Canonical(filepath.Clean(dir))
		if f.known == nil {
			f.known = map[string]string{}
		}
		f.known[dir] = canonical
	}
	full := filepath.Join(canonical, base)
	if info, err := os.Lstat(full); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return Canonical(full)
	}
	return Clean(full)
}
