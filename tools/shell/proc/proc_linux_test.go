package proc

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type sink struct{}

func (sink) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }

// A process may be called as it likes: its name looks like the fields behind it.
func TestProcessesAreFoundByWhateverName(t *testing.T) {
	dir := t.TempDir()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if sleep, err = filepath.EvalSymlinks(sleep); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	name := "a) R 1 (b"
	if err := os.WriteFile(filepath.Join(dir, name), program, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"'./" + name + "' 600 & true", "setsid -f './" + name + "' 600; true", "(setsid './" + name + "' 600 &) ; sleep 0.2"} {
		p, err := Start(Options{Command: line, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}, Out: sink{}})
		if err != nil {
			t.Fatal(err)
		}
		if !within(p.Ended(), 30*time.Second) {
			t.Fatal("it did not end")
		}
		end := p.Reap()
		if end.Code != 0 || end.Left || end.Stuck || !strings.Contains(strings.Join(end.Killed, "\n"), name+" (pid ") {
			t.Errorf("%s: %+v", line, end)
		}
		if alive(p) {
			t.Errorf("%s: something lives", line)
		}
	}
}

func TestTheWatchdogEndsWithItsCommand(t *testing.T) {
	p, err := Start(Options{Command: "exit 7", Dir: t.TempDir(), Out: sink{}})
	if err != nil {
		t.Fatal(err)
	}
	if p.dog == nil {
		t.Fatal("no watchdog")
	}
	<-p.Ended()
	if e := p.Reap(); e.Code != 7 || e.Signal != "" {
		t.Errorf("ended with %+v", e)
	}
	if p.dog.cmd.ProcessState == nil {
		t.Error("the watchdog was not waited for")
	}
}
