package parent

import "syscall"

// synchronize is the right to wait for a process (winnt.h, SYNCHRONIZE).
const synchronize = 0x00100000

// alive reports whether pid is a process that runs.
func alive(pid int) bool {
	h, err := syscall.OpenProcess(synchronize, false, uint32(pid))
	if err != nil {
		return err == syscall.ERROR_ACCESS_DENIED
	}
	defer syscall.CloseHandle(h) // a handle that cannot be closed harms nobody
	ev, err := syscall.WaitForSingleObject(h, 0)
	return err == nil && ev == syscall.WAIT_TIMEOUT
}
