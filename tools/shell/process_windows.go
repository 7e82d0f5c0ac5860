package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// shellCommand runs a line in Git's bash where it is installed, else in cmd.
func shellCommand(line string) *exec.Cmd {
	for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)")} {
		path := filepath.Join(root, "Git", "bin", "bash.exe")
		if info, err := os.Stat(path); root != "" && err == nil && info.Mode().IsRegular() {
			return exec.Command(path, "-c", line)
		}
	}
	cmd := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "System32", "cmd.exe"))
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `/d /s /c "` + line + `"`}
	return cmd
}

// isolate gives the shell a group of its own.
func isolate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags = syscall.CREATE_NEW_PROCESS_GROUP
}

// terminate does nothing: without a console there is no way to ask.
func terminate(*exec.Cmd) {}

// killGroup ends the tree below the shell.
func killGroup(cmd *exec.Cmd) {
	kill := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "System32", "taskkill.exe"), "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	_ = kill.Run() // gone already is as good
}

// killMarked finds nothing here: taskkill knows the tree.
func killMarked(string) {}
