//go:build unix

package shell

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
)

// BenchmarkToolsExecTrue is a call of exec_command that runs true, besides the
// bare process of the same shell: the difference may be 15 ms (issue of the
// hands).
func BenchmarkToolsExecTrue(b *testing.B) {
	x, root := bench(b)
	var bare, ours time.Duration
	for range b.N {
		begun := time.Now()
		if err := exec.Command("/bin/bash", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(begun)
		begun = time.Now()
		if res, err := prepare(b, x, root, execArgs{Command: "true"}).Run(context.Background(), newConsole()); err != nil || res.Outcome != "ok" {
			b.Fatal(res, err)
		}
		ours += time.Since(begun)
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(ms(bare), "bare-ms")
	b.ReportMetric(ms(ours)-ms(bare), "above-ms")
}

// BenchmarkToolsFlood is a child that prints 1 GB; grown-MB is by how much our
// own anonymous memory was larger at its largest (at most 16 MB).
func BenchmarkToolsFlood(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("memory is read from /proc")
	}
	for name, c := range map[string]struct {
		line  string
		bytes int64
		tty   bool
	}{
		"lines, pipes":    {"yes 'a line of the flood, as long as many are' | head -c 1000000000", 1_000_000_000, false},
		"no line, pipes":  {"head -c 1000000000 /dev/zero | tr '\\0' x", 1_000_000_000, false},
		"lines, terminal": {"yes 'a line of the flood, as long as many are' | head -c 20000000", 20_000_000, true},
	} {
		b.Run(name, func(b *testing.B) {
			x, root := bench(b)
			b.SetBytes(c.bytes)
			most := 0
			for range b.N {
				before := anonymous(b)
				done := make(chan struct{})
				watched := make(chan int)
				var wg conc.WaitGroup
				wg.Go(func() {
					peak := 0
					for {
						select {
						case <-done:
							watched <- peak
							return
						case <-time.After(10 * time.Millisecond):
							peak = max(peak, anonymous(b)-before)
						}
					}
				})
				if res, err := prepare(b, x, root, execArgs{Command: c.line, TTY: c.tty, YieldMs: 30_000}).Run(context.Background(), quietConsole{}); err != nil || res.Outcome != "ok" {
					b.Fatal(fmt.Sprintf("%.300s", res.Text), err)
				}
				close(done)
				most = max(most, <-watched)
				wg.Wait()
			}
			b.ReportMetric(float64(most)/1024, "grown-MB")
		})
	}
}

type quietConsole struct{}

func (quietConsole) Output(string)   {}
func (quietConsole) Activity(string) {}

// anonymous is RssAnon in KiB.
func anonymous(b *testing.B) int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("RssAnon:"))
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return n
}
