package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"companion/internal/editortest/fake"
)

// binary is the built companion: COMPANION_BIN, or built here once.
func binary(b testing.TB) string {
	b.Helper()
	if bin := os.Getenv("COMPANION_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(b.TempDir(), "companion")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// BenchmarkSpawnToInitialize starts the binary, waits for the answer to
// initialize, and ends it. cpu-ms is user and system time of the whole process
// up to its exit; rss-anon-MB and rss-MB are read once it has been idle for a
// quarter of a second.
func BenchmarkSpawnToInitialize(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	bin, root := binary(b), b.TempDir()
	var cpu, wall time.Duration
	var anon, rss float64
	for b.Loop() {
		cmd := exec.Command(bin, "serve")
		cmd.Env = append(os.Environ(), "COMPANION_STATE_DIR="+b.TempDir(), "COMPANION_CONFIG="+os.DevNull)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		ed := fake.Connect(stdio{out, in}, fake.Options{Roots: []string{root}})
		if _, err := ed.Initialize(context.Background()); err != nil {
			b.Fatal(err)
		}
		wall += time.Since(start)
		time.Sleep(250 * time.Millisecond) // idle is what is measured
		anon += status(b, cmd.Process.Pid, "RssAnon:")
		rss += status(b, cmd.Process.Pid, "VmRSS:")
		if err := ed.Shutdown(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	n := float64(b.N)
	b.ReportMetric(float64(cpu.Microseconds())/1000/n, "cpu-ms")
	b.ReportMetric(float64(wall.Microseconds())/1000/n, "initialize-ms")
	b.ReportMetric(anon/1024/n, "rss-anon-MB")
	b.ReportMetric(rss/1024/n, "rss-MB")
}

type stdio struct {
	r interface{ Read([]byte) (int, error) }
	w interface {
		Write([]byte) (int, error)
		Close() error
	}
}

func (s stdio) Read(p []byte) (int, error)  { return s.r.Read(p) }
func (s stdio) Write(p []byte) (int, error) { return s.w.Write(p) }
func (s stdio) Close() error                { return s.w.Close() }

// status reads one figure of /proc/PID/status, in kB.
func status(b *testing.B, pid int, key string) float64 {
	b.Helper()
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, key); ok {
			n, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatalf("no %s in status", key)
	return 0
}
