//go:build unix

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/sourcegraph/conc"
)

// vigil reads a mark and then a group from a pipe whose other end only we hold.
// The pipe's end means that we are gone, however we died: it kills the group,
// and what carries the mark where /proc tells environments. Not every sh takes
// "kill -- -GROUP".
const vigil = `trap '' HUP INT QUIT TERM
read -r mark || exit 0
read -r group && { read -r never; kill -9 "-$group"; }
for again in 1 2 3; do
	found=$(grep -lsF -e "$mark" /proc/[0-9]*/environ)
	[ -n "$found" ] || exit 0
	for f in $found; do f=${f#/proc/}; kill -9 "${f%/environ}"; done
done`

// watchdog is a process that ends a command when we were killed ourselves. A
// nil one does nothing.
type watchdog struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// watch starts a watchdog for the processes that carry mark, in a session of
// its own, where no signal for our group reaches it. nil where it cannot be
// started: the command is worth more than its watch.
func watch(own *conc.WaitGroup, mark string) *watchdog {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", vigil)
	cmd.Dir, cmd.Stdin = "/", r
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	own.Go(func() { _ = cmd.Wait() })
	d := &watchdog{cmd, w}
	d.tell(mark)
	return d
}

// guard names the group of the command.
func (d *watchdog) guard(cmd *exec.Cmd) {
	if d != nil {
		d.tell(fmt.Sprint(cmd.Process.Pid))
	}
}

// tell finds nobody when somebody killed the watchdog.
func (d *watchdog) tell(line string) { _, _ = d.pipe.WriteString(line + "\n") }

// dismiss ends the watchdog before it sees the end of the pipe.
func (d *watchdog) dismiss() {
	if d != nil {
		_ = d.cmd.Process.Kill()
		_ = d.pipe.Close()
	}
}
