package editortest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Binary starts a built companion for each scenario. Its environment is bare,
// so that nothing of the machine leaks in.
func Binary(path string) func(t testing.TB, sv Server) (io.ReadWriteCloser, func() (int, error)) {
	return func(t testing.TB, sv Server) (io.ReadWriteCloser, func() (int, error)) {
		t.Helper()
		cmd := exec.Command(path, "serve")
		cmd.Env = sv.Environment()
		cmd.Dir = sv.Home
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p := &process{in: in, out: out, kill: func() { _ = cmd.Process.Kill() }}
		wait := func() (int, error) {
			timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
			err := cmd.Wait()
			if t.Failed() && stderr.Len() > 0 {
				t.Logf("stderr:\n%s", stderr.String())
			}
			var bad *exec.ExitError
			if errors.As(err, &bad) {
				return bad.ExitCode(), nil
			}
			return 0, err
		}
		return p, wait
	}
}

// Environment is what a process of companion gets.
func (sv Server) Environment() []string {
	env := []string{
		"HOME=" + sv.Home, "COMPANION_STATE_DIR=" + sv.StateDir, "COMPANION_CONFIG=" + sv.ConfigFile,
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
	}
	for _, name := range []string{"SystemRoot", "GOCOVERDIR"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return append(env, sv.Env...)
}

// process is the stdio of a child. Close closes its stdin and gives it five
// seconds to end.
type process struct {
	in   io.WriteCloser
	out  io.Reader
	kill func()
	once sync.Once
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p *process) Close() error {
	p.once.Do(func() { time.AfterFunc(5*time.Second, p.kill) })
	err := p.in.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
