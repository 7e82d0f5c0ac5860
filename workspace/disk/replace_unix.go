//go:build !windows

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keptMode are the mode bits that a file keeps.
const keptMode = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// keep gives f the mode of like, and its owner where the system lets us.
func keep(f *os.File, like fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	st, ok := like.Sys().(*syscall.Stat_t)
	own, known := now.Sys().(*syscall.Stat_t)
	if ok && known && (st.Uid != own.Uid || st.Gid != own.Gid) {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // only root may give a file away
	}
	if now.Mode()&keptMode == like.Mode()&keptMode {
		return nil
	}
	return f.Chmod(like.Mode() & keptMode)
}

// claim gives a file a second name if nothing has it: a link never replaces
// what came there meanwhile. Some file systems have none; done is false then.
func claim(dir *os.Root, temp, name string) (done bool, err error) {
	err = dir.Link(temp, name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, ErrExists
	}
	return false, nil
}
