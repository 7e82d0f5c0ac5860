//go:build unix

package shell

import (
	"os"
	"os/exec"
	"syscall"
)

// shellCommand runs a line in bash where the system has one, else in sh. PATH
// is not asked: a workspace may stand in it.
func shellCommand(line string) *exec.Cmd {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return exec.Command(path, "-c", line)
		}
	}
	return exec.Command("/bin/sh", "-c", line)
}

func terminate(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }

func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// signalGroup may find nobody left, which is what is wanted.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
