//go:build unix && !linux

package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const getTermios = unix.TIOCGETA

// isolate gives the shell a session and a group of its own, so that it cannot
// reach the terminal that we may have.
func isolate(cmd *exec.Cmd, tty bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: tty}
}

// killLeft kills the group: environments of others cannot be read here.
func killLeft(p *Process) []string {
	killGroup(p.cmd)
	return nil
}

// alive tells whether something of a command's group lives.
func alive(p *Process) bool { return syscall.Kill(-p.cmd.Process.Pid, 0) == nil }
