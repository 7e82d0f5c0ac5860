package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// Bounds of an ending. Together they stay below tools.Grace, 2 s.
const (
	termTime = 900 * time.Millisecond // between asking a group to end and killing it
	pipeTime = 400 * time.Millisecond // for the last output after the shell has ended
	killTime = 400 * time.Millisecond // for the system to reap what was killed
)

// ErrNoTerminal says that the system gives no terminals.
var ErrNoTerminal = errors.New("this system gives no terminals to commands")

// Options of Start.
type Options struct {
	Command string
	Dir     string   // absolute
	Env     []string // whole, "KEY=value"
	Shell   string   // absolute path of a shell that takes lines as bash does; "" = the system's
	Login   bool     // the shell reads the files of a login
	// Cols and Rows are the size of the terminal; 0 = pipes, and standard input is
	// at its end.
	Cols, Rows int
	Out        io.ReaderFrom // reads the output to its end
}

// Process is one running shell with its group.
type Process struct {
	cmd   *exec.Cmd
	mark  string   // in the environment of all that it starts
	out   *os.File // of the pipe, or the terminal's other side
	tty   bool
	read  chan struct{} // closed when the output has ended
	ended chan struct{} // closed when the shell has
	err   error         // of the shell; after ended
	dog   *watchdog     // kills it when we are killed
	born  time.Time
	own   conc.WaitGroup

	writing sync.Mutex
}

// Start runs a line.
func Start(o Options) (*Process, error) {
	p := &Process{mark: newMark(), read: make(chan struct{}), ended: make(chan struct{}), tty: o.Cols > 0 && o.Rows > 0}
	p.cmd = shellCommand(o.Shell, o.Command, o.Login)
	p.cmd.Dir = o.Dir
	p.cmd.Env = append(o.Env[:len(o.Env):len(o.Env)], p.mark, "PWD="+o.Dir)
	p.dog = watch(&p.own, p.mark)
	p.born = time.Now()
	err := p.begin(o)
	if err != nil {
		p.dog.dismiss()
		p.own.Wait()
		return nil, err
	}
	p.dog.guard(p.cmd)
	p.own.Go(func() {
		defer close(p.read)
		_, _ = o.Out.ReadFrom(p.out) // a terminal's end is an error
	})
	p.own.Go(func() {
		defer close(p.ended)
		p.err = p.cmd.Wait()
	})
	return p, nil
}

func (p *Process) begin(o Options) (err error) {
	isolate(p.cmd, p.tty)
	if p.tty {
		p.out, err = startTerminal(p.cmd, o.Cols, o.Rows)
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w // nil Stdin is at its end
	err = p.cmd.Start()
	_ = w.Close() // the child has its own
	if err != nil {
		_ = r.Close()
		return err
	}
	p.out = r
	return nil
}

// Ended is closed when the shell has ended; what it started may go on.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Terminal tells whether it has one.
func (p *Process) Terminal() bool { return p.tty }

// Interrupt does what ^C does to a group without a terminal.
func (p *Process) Interrupt() { interrupt(p.cmd) }

// Stop asks all of the group to end, and kills what has not after a moment.
func (p *Process) Stop() {
	over := time.NewTimer(termTime)
	defer over.Stop()
	terminate(p.cmd)
	hang := time.NewTimer(termTime / 2)
	defer hang.Stop()
	look := time.NewTicker(termTime / 30)
	defer look.Stop()
	for ended := p.ended; ; {
		select {
		case <-over.C:
			p.Kill()
			return
		case <-hang.C:
			if p.tty { // shells that are talked to end for nothing less
				hangUp(p.cmd)
			}
		case <-ended:
			ended = nil // what it started may still be about to end
		case <-look.C:
		}
		if ended == nil && !alive(p) {
			return
		}
	}
}

// Kill ends the group, and what left it, where the system lets it be found.
func (p *Process) Kill() {
	if !closed(p.ended) { // else its number may be another's
		killGroup(p.cmd)
	}
	killLeft(p)
}

// End is how a command ended.
type End struct {
	Code   int    // -1 where a signal ended it
	Signal string // in words, "" = none
	// Killed are processes that the shell had left running.
	Killed []string
	// Left: something that could not be found or killed still has the output.
	Left bool
	// Stuck: the shell itself could not be killed.
	Stuck bool
}

// Reap waits for what was stopped, kills what is left, and lets go of the
// output. The shell must have ended, or been told to.
func (p *Process) Reap() End {
	var e End
	within(p.read, 20*time.Millisecond) // what ends by itself with the shell needs no killing
	e.Killed = killLeft(p)
	e.Stuck = !within(p.ended, killTime)
	if !within(p.read, pipeTime) {
		e.Killed = append(e.Killed, killLeft(p)...) // what it started while being killed
		e.Left = !within(p.read, pipeTime/2)
	}
	p.writing.Lock()
	_ = p.out.Close() // ends the reader in any case
	p.writing.Unlock()
	<-p.read
	p.dog.dismiss()
	if !e.Stuck {
		p.own.Wait()
		e.Code, e.Signal = status(p.cmd.ProcessState, p.err)
	}
	return e
}

// ErrNotRead says that a program does not read what it is given.
var ErrNotRead = errors.New("the program does not read its input now")

// Write gives b to the terminal; what the program did not take until the
// deadline is an ErrNotRead.
func (p *Process) Write(b []byte, deadline time.Time) (int, error) {
	if !p.tty {
		return 0, fmt.Errorf("standard input is at its end")
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.put(b, deadline)
}

// Reply is Write for what a terminal answers by itself: given at once or never.
func (p *Process) Reply(b []byte) {
	if !p.tty || !p.writing.TryLock() {
		return
	}
	defer p.writing.Unlock()
	_, _ = p.put(b, time.Now().Add(50*time.Millisecond)) // who asked may be gone
}

func (p *Process) put(b []byte, deadline time.Time) (int, error) {
	if closed(p.ended) {
		return 0, os.ErrClosed
	}
	if err := p.out.SetWriteDeadline(deadline); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return 0, err
	}
	n, err := p.out.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrNotRead
	}
	return n, err
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

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
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
