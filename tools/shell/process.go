package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// Bounds of an ending. Together they stay below tools.Grace.
const (
	termTime = 500 * time.Millisecond // between asking a group to end and killing it
	pipeTime = 500 * time.Millisecond // for the last output after the shell has ended
	killTime = 500 * time.Millisecond // for the system to reap what was killed
)

// process is one running shell with its group.
type process struct {
	cmd   *exec.Cmd
	mark  string // in the environment of all that it starts
	pipe  *os.File
	buf   *tail
	read  chan struct{} // closed when the pipe has ended
	ended chan struct{} // closed when the shell has
	err   error         // of the shell; after ended
	dog   *watchdog     // kills it when we are killed
	own   conc.WaitGroup
}

// ending is how a command ended.
type ending struct {
	code              int
	signal            string
	timedOut, stopped bool
	left              bool // something outside the group kept the pipe open
	output            string
}

// start runs a line in a shell of its own group; emit gets output as it comes.
func start(command, dir string, env []string, emit func(string)) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{mark: newMark(), pipe: r, buf: newTail(emit), read: make(chan struct{}), ended: make(chan struct{})}
	p.cmd = shellCommand(command)
	p.cmd.Dir = dir
	p.cmd.Env = append(env[:len(env):len(env)], p.mark, "PWD="+dir)
	p.cmd.Stdout, p.cmd.Stderr = w, w // nil Stdin is at its end
	isolate(p.cmd)
	p.dog = watch(&p.own, p.mark)
	err = p.cmd.Start()
	_ = w.Close() // the child has its own
	if err != nil {
		_ = r.Close()
		p.dog.dismiss()
		p.own.Wait()
		return nil, err
	}
	p.dog.guard(p.cmd)
	p.own.Go(func() {
		defer close(p.read)
		p.buf.readFrom(r)
	})
	p.own.Go(func() {
		defer close(p.ended)
		p.err = p.cmd.Wait()
	})
	return p, nil
}

// wait lets the shell end by itself, by the deadline or by ctx, kills what is
// left of its group, and gathers the output.
func (p *process) wait(ctx context.Context, deadline time.Duration) ending {
	var e ending
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
		e.timedOut = true
	case <-ctx.Done():
		e.stopped = true
	}
	if e.timedOut || e.stopped {
		terminate(p.cmd)
		within(p.ended, termTime)
	}
	p.kill()
	dead := within(p.ended, killTime)
	if !within(p.read, pipeTime) {
		e.left = true
		p.kill() // what it started while being killed
	}
	_ = p.pipe.Close() // ends the reader in any case
	<-p.read
	p.dog.dismiss()
	if dead {
		p.own.Wait()
		e.code, e.signal = status(p.cmd.ProcessState, p.err)
	}
	e.output = p.buf.text()
	return e
}

// kill ends the group, and what left it, where the system lets it be found.
func (p *process) kill() {
	killGroup(p.cmd)
	killMarked(p.mark)
}

// within waits for c, at most d.
func within(c <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}

func status(state *os.ProcessState, err error) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal().String()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return -1, ""
	}
	return state.ExitCode(), ""
}
