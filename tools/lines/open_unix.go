//go:build !windows

package lines

import "syscall"

// openNonblock keeps an open of a FIFO that came after the check from waiting.
const openNonblock = syscall.O_NONBLOCK
