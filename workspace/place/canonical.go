package place

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symlinks one path may go through, as on Linux (path_resolution(7)).
const maxLinks = 40

// Canonical resolves every symlink of an absolute path, as far as the path
// exists, and also where a link leads to something that does not exist: a write
// would create it there. A loop ends at the link itself.
func Canonical(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return Clean(p)
	}
	vol := filepath.VolumeName(path)
	sep := string(filepath.Separator)
	done := vol + sep
	todo := strings.Split(strings.TrimPrefix(path[len(vol):], sep), sep)
	links := 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || links >= maxLinks {
			done = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			done = next
			continue
		}
		links++
		if filepath.IsAbs(target) {
			vol = filepath.VolumeName(target)
			done, target = vol+sep, target[len(vol):]
		}
		todo = append(strings.Split(target, sep), todo...)
	}
	return Clean(done)
}

// Clean is filepath.Clean with one spelling of a drive letter.
func Clean(path string) string {
	path = filepath.Clean(path)
	if Windows {
		return FoldDrive(path)
	}
	return path
}
