//go:build !windows

package disk

import (
	"errors"
	"syscall"
)

// openNonblock keeps an open of a FIFO that came after the check from waiting.
const openNonblock = syscall.O_NONBLOCK

// isNotDir: a part of the path is a file, so that nothing can be below it.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
