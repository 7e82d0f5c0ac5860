//go:build unix

package wire

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitGone waits until no process has the id.
func waitGone(t *testing.T, pid int, within time.Duration) {
	t.Helper()
	end := time.Now().Add(within)
	for !gone(pid) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d is still there after %s", pid, within)
		}
		runtime.Gosched()
		time.Sleep(5 * time.Millisecond) // polls another process
	}
}

// gone says that the process ended; one that nobody reaped counts.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func readPid(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestServersKillEndsTheWholeGroup(t *testing.T) {
	p, err := Spawn(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", "sleep 600 & echo $!; echo one >&2; echo went wrong >&2; wait"}, Env: os.Environ(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	grandchild := readPid(t, bufio.NewReader(p))
	if gone(grandchild) {
		t.Fatal("the grandchild is not there")
	}
	for end := time.Now().Add(10 * time.Second); p.Exit() != "went wrong"; time.Sleep(time.Millisecond) { // polls another process
		if time.Now().After(end) {
			t.Fatalf("its error output is %q", p.Exit())
		}
	}
	start := time.Now()
	p.Kill()
	p.Kill()
	waitGone(t, grandchild, 2*time.Second)
	if took := time.Since(start); took > 5*time.Second {
		t.Fatalf("it took %s", took)
	}
	if how := p.Exit(); !strings.Contains(how, "killed") || !strings.HasSuffix(how, "went wrong") {
		t.Fatalf("Exit says %q", how)
	}
	if _, err := p.Write([]byte("x")); err == nil {
		t.Fatal("a write to a dead server succeeded")
	}
}

func TestServersDieWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a child that its parent was killed")
	}
	if os.Getenv("COMPANION_TEST_PARENT") == "1" {
		p, err := Spawn(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", "echo $$; exec sleep 600"}, Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(p).ReadString('\n')
		_, _ = os.Stdout.WriteString("pid " + line)
		select {} // until killed
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestServersDieWithUs$")
	cmd.Env = append(os.Environ(), "COMPANION_TEST_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	var child int
	for child == 0 {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
			if child, err = strconv.Atoi(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waitGone(t, child, time.Second)
}

func TestServersThatCannotStartSayWhy(t *testing.T) {
	if _, err := Spawn(t.Context(), Command{Path: "/nonexistent/server", Env: os.Environ()}); err == nil || !strings.Contains(err.Error(), "/nonexistent/server") {
		t.Fatalf("%v", err)
	}
}

func TestTailKeepsTheLastBytes(t *testing.T) {
	var x tail
	for range 100 {
		_, _ = x.Write([]byte(strings.Repeat("a", 1000) + "\n"))
	}
	_, _ = x.Write([]byte("the end\n\n"))
	if len(x.buf) > stderrKept || x.lastLine() != "the end" {
		t.Fatalf("%d bytes, %q", len(x.buf), x.lastLine())
	}
}
