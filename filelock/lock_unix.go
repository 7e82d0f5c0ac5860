//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes an exclusive lock of an open file; busy: another process, or another
// opening of the file, has it. The lock ends when f is closed or the process ends.
func Try(f *os.File) (busy bool, err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
