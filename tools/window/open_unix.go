//go:build !windows

package window

import "syscall"

// openNonblock keeps an open of a FIFO that came after the check from waiting.
const openNonblock = syscall.O_NONBLOCK
