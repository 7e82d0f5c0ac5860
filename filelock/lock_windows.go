package filelock

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// Values of LockFileEx (fileapi.h) and winerror.h.
const (
	lockFailImmediately = 0x1
	lockExclusive       = 0x2
	errLockViolation    = syscall.Errno(33)
)

// Try takes an exclusive lock of an open file; busy: another process, or another
// opening of the file, has it. The lock ends when f is closed or the process ends.
func Try(f *os.File) (busy bool, err error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
	var at syscall.Overlapped
	ok, _, err := proc.Call(f.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok != 0 {
		return false, nil
	}
	if errors.Is(err, errLockViolation) || errors.Is(err, syscall.ERROR_IO_PENDING) {
		return true, nil
	}
	return false, err
}
