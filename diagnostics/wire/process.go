package wire

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// stderrKept is how much of a server's error output is remembered, in bytes.
const stderrKept = 8 << 10

// Spawn is the Dialer of real processes: the server runs in a process group of
// its own, and on Linux it dies with us even if we are killed.
func Spawn(_ context.Context, cmd Command) (Transport, error) {
	p := &process{cmd: exec.Command(cmd.Path, cmd.Args...), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = cmd.Dir, cmd.Env, &p.stderr
	p.cmd.WaitDelay = 500 * time.Millisecond // a grandchild may hold the error output
	group(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	p.out = out
	started := make(chan error, 1)
	p.wg.Go(func() {
		// The kernel's parent-death signal is tied to the thread that forked:
		// this goroutine keeps that thread until the child has ended.
		runtime.LockOSThread()
		if err := p.cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		p.state = p.cmd.Wait()
		close(p.exited)
	})
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// process is a Transport over a child's standard streams.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr tail
	state  error // of the exit; read after exited
	exited chan struct{}
	wg     conc.WaitGroup
	once   sync.Once
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

func (p *process) Close() error {
	err := p.in.Close()
	_ = p.out.Close()
	return err
}

func (p *process) Kill() {
	p.once.Do(func() { killGroup(p.cmd) })
	<-p.exited
}

func (p *process) Exit() string {
	select {
	case <-p.exited:
	default:
		return p.stderr.lastLine()
	}
	how := "it ended"
	if p.state != nil {
		how = p.state.Error()
	}
	if line := p.stderr.lastLine(); line != "" {
		how += ": " + line
	}
	return how
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - stderrKept; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

// lastLine is the first line that speaks of an error (a stack may follow it),
// else the last that is not blank.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.TrimSpace(string(t.buf))
	for line := range strings.Lines(s) {
		if strings.Contains(strings.ToLower(line), "error") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}
