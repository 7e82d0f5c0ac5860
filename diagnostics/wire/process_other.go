//go:build !unix

package wire

import (
	"os/exec"
	"strconv"
)

func group(*exec.Cmd) {}

// killGroup ends the tree under the server; taskkill is part of Windows.
func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}
