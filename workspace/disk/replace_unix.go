//go:build !windows

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// keptMode are the mode bits that a file keeps.
const keptMode = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// replaceFile puts data at name in dir, at once or not at all: a new file with
// the rights of the umask when like is nil, else with like's mode, and its
// owner where the system lets us. fresh: nothing may be there. last is asked
// when the data is on disk and only the name is missing.
func replaceFile(dir *os.Root, name string, data []byte, like fs.FileInfo, fresh bool, last func() error) error {
	perm := fs.FileMode(0o666)
	if like != nil {
		perm = like.Mode().Perm()
	}
	f, err := renameio.NewPendingFile(name, renameio.WithRoot(dir), renameio.WithPermissions(perm))
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if like != nil {
		if st, ok := like.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(st.Uid), int(st.Gid)) // only root may give a file away
		}
		if err := f.Chmod(like.Mode() & keptMode); err != nil {
			return err
		}
	}
	if fresh {
		// A link never replaces what came there meanwhile. Some file systems have none.
		if err := f.Sync(); err != nil {
			return err
		}
		if err := last(); err != nil {
			return err
		}
		err := dir.Link(filepath.Base(f.Name()), name)
		if err == nil {
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			return ErrExists
		}
	}
	if err := last(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
