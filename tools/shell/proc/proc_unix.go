//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// shellCommand runs a line in shell, or in bash where the system has one, else
// in sh. PATH is not asked: a workspace may stand in it.
func shellCommand(shell, line string, login bool) *exec.Cmd {
	flag := "-c"
	if login {
		flag = "-lc"
	}
	for _, path := range []string{shell, "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"} {
		if info, err := os.Stat(path); path != "" && err == nil && info.Mode().IsRegular() {
			return exec.Command(path, flag, line)
		}
	}
	return exec.Command("/bin/sh", flag, line)
}

// startTerminal starts cmd with a new terminal, which is its session's. Reads
// and writes of our side take deadlines, and a Close ends them.
func startTerminal(cmd *exec.Cmd, cols, rows int) (*os.File, error) {
	blocking, err := pty.StartWithAttrs(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}, cmd.SysProcAttr)
	if err != nil {
		return nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		killGroup(cmd)
		_ = cmd.Wait() // killed
		return nil, err
	}
	return os.NewFile(uintptr(fd), blocking.Name()), nil
}

// Resize gives the terminal another size.
func (p *Process) Resize(cols, rows int) error {
	if !p.tty {
		return ErrNoTerminal
	}
	raw, err := p.out.SyscallConn() // pty.Setsize would make it block
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	return errors.Join(err, set)
}

// Secret tells whether the program reads a line that the terminal does not
// show, as password prompts do. Programs that read single keys are none.
func (p *Process) Secret() bool {
	if !p.tty || closed(p.ended) {
		return false
	}
	secret := false
	raw, err := p.out.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		t, err := unix.IoctlGetTermios(int(fd), getTermios)
		secret = err == nil && t.Lflag&unix.ICANON != 0 && t.Lflag&unix.ECHO == 0
	})
	return err == nil && secret
}

// terminate asks the group to end; stopped ones need to go on to hear it.
func terminate(cmd *exec.Cmd) {
	signalGroup(cmd, syscall.SIGTERM)
	signalGroup(cmd, syscall.SIGCONT)
}

// hangUp tells the group that its terminal goes away.
func hangUp(cmd *exec.Cmd) {
	signalGroup(cmd, syscall.SIGHUP)
	signalGroup(cmd, syscall.SIGCONT)
}

func interrupt(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGINT) }

func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// signalGroup may find nobody left, which is what is wanted.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
