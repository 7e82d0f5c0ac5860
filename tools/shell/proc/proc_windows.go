package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// shellCommand runs a line in Git's bash where it is installed, else in cmd.
func shellCommand(_, line string, login bool) *exec.Cmd {
	flag := "-c"
	if login {
		flag = "-lc"
	}
	for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)")} {
		path := filepath.Join(root, "Git", "bin", "bash.exe")
		if info, err := os.Stat(path); root != "" && err == nil && info.Mode().IsRegular() {
			return exec.Command(path, flag, line)
		}
	}
	cmd := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "System32", "cmd.exe"))
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `/d /s /c "` + line + `"`}
	return cmd
}

// startTerminal has none to give: the library knows no ConPTY.
func startTerminal(*exec.Cmd, int, int) (*os.File, error) { return nil, ErrNoTerminal }

// Resize has no terminal.
func (p *Process) Resize(int, int) error { return ErrNoTerminal }

// Secret sees no terminal.
func (p *Process) Secret() bool { return false }

// isolate gives the shell a group of its own.
func isolate(cmd *exec.Cmd, _ bool) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags = syscall.CREATE_NEW_PROCESS_GROUP
}

// terminate does nothing: without a console there is no way to ask.
func terminate(*exec.Cmd) {}

// hangUp has no terminal.
func hangUp(*exec.Cmd) {}

// interrupt ends the tree, for want of a console.
func interrupt(cmd *exec.Cmd) { killGroup(cmd) }

// killGroup ends the tree below the shell.
func killGroup(cmd *exec.Cmd) {
	kill := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "System32", "taskkill.exe"), "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	_ = kill.Run() // gone already is as good
}

// killLeft finds nothing here: taskkill knows the tree.
func killLeft(*Process) []string { return nil }

// alive is not known here.
func alive(*Process) bool { return true }
