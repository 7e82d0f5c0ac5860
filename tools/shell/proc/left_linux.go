package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const getTermios = unix.TCGETS

// isolate gives the shell a session and a group of its own, so that it cannot
// reach the terminal that we may have, and lets it die with us.
func isolate(cmd *exec.Cmd, tty bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: tty, Pdeathsig: syscall.SIGKILL}
}

// entry is what /proc/PID/stat tells of a process.
type entry struct {
	pid, parent, group, session int
	name                        string
	zombie                      bool
	born                        uint64 // ticks since boot
}

// killLeft kills what is left of a command: its group, its session, what has
// its mark in the environment (children that left with setsid), and the
// descendants of those. It gives the names of what it killed besides the shell.
func killLeft(p *Process) []string {
	var names []string
	seen := map[int]bool{}
	for range 4 { // what they started while being killed
		found := left(p)
		fresh := false
		for _, e := range found {
			_ = syscall.Kill(e.pid, syscall.SIGKILL) // gone already is as good
			if !seen[e.pid] {
				seen[e.pid], fresh = true, true
				if e.pid != p.cmd.Process.Pid {
					names = append(names, fmt.Sprintf("%s (pid %d)", e.name, e.pid))
				}
			}
		}
		if !fresh {
			break
		}
	}
	return names
}

// alive tells whether something of a command lives.
func alive(p *Process) bool { return len(left(p)) > 0 }

// left finds the processes of a command that live.
func left(p *Process) []entry {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	list, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	since := ticks(p.born)
	leader, self := p.cmd.Process.Pid, os.Getpid()
	all := map[int]entry{}
	ours := map[int]bool{}
	for _, name := range list {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == self || pid == 1 {
			continue
		}
		e, ok := stat(pid)
		if !ok || e.born < since {
			continue
		}
		all[pid] = e
		if pid == leader || e.group == leader || e.session == leader || e.parent != 2 && marked(pid, p.mark) {
			ours[pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, e := range all {
			if !ours[pid] && ours[e.parent] {
				ours[pid], grown = true, true
			}
		}
	}
	var out []entry
	for pid := range ours {
		if e := all[pid]; !e.zombie {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return a.pid - b.pid })
	return out
}

func marked(pid int, mark string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(env, []byte(mark))
}

// stat reads one line: pid (name) state parent group session … born, the 22nd.
func stat(pid int) (entry, bool) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if err != nil || open < 0 || end < open {
		return entry{}, false
	}
	f := strings.Fields(string(line[end+1:]))
	if len(f) < 20 {
		return entry{}, false
	}
	e := entry{pid: pid, name: string(line[open+1 : end]), zombie: f[0] == "Z" || f[0] == "X"}
	for i, to := range []*int{&e.parent, &e.group, &e.session} {
		if *to, err = strconv.Atoi(f[i+1]); err != nil {
			return entry{}, false
		}
	}
	e.born, err = strconv.ParseUint(f[19], 10, 64)
	return e, err == nil
}

// ticks is a moment as /proc counts it (100 a second on all of Go's Linuxes),
// a bit early; 0 = all of them.
func ticks(at time.Time) uint64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0
	}
	since := time.Duration(now.Nano()) - time.Since(at)
	return uint64(max(0, since/(10*time.Millisecond)-2))
}
