package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patchLoad writes files below dir and gives a patch for them: n hunks in one
// file, or one hunk in each of n files.
func patchLoad(b *testing.B, dir string, n int, inOne bool) (patch string) {
	b.Helper()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	var file, p strings.Builder
	p.WriteString("*** Begin Patch\n")
	if inOne {
		p.WriteString("*** Update File: f.txt\n")
	}
	for i := range n {
		if !inOne {
			file.Reset()
			fmt.Fprintf(&p, "*** Update File: d%d/f%d.txt\n", i%20, i)
		}
		for k := range 20 {
			fmt.Fprintf(&file, "line %d of %d\n", k, i)
		}
		fmt.Fprintf(&p, "@@\n line 9 of %d\n-line 10 of %d\n+changed %d\n line 11 of %d\n", i, i, i, i)
		if !inOne {
			put(fmt.Sprintf("d%d/f%d.txt", i%20, i), file.String())
		}
	}
	if inOne {
		put("f.txt", file.String())
	}
	return p.String() + "*** End Patch\n"
}

// BenchmarkToolsApplyPatch is the CPU time (user and system) of whole processes:
// of companion apply-patch (COMPANION_BIN), of companion version, which is what
// their start costs, and of another program that takes the same patch on stdin
// (COMPANION_PEER_APPLY_PATCH), where there is one.
func BenchmarkToolsApplyPatch(b *testing.B) {
	bin := os.Getenv("COMPANION_BIN")
	if bin == "" {
		b.Skip("set COMPANION_BIN to the built binary (make bench-tools does)")
	}
	state := b.TempDir()
	cpu := func(b *testing.B, dir, stdin string, cmd ...string) time.Duration {
		c := exec.Command(cmd[0], cmd[1:]...)
		c.Dir, c.Stdin = dir, strings.NewReader(stdin)
		c.Env = append(os.Environ(), "COMPANION_STATE_DIR="+state)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Run(); err != nil {
			b.Fatalf("%v: %s", err, out.String())
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	report := func(b *testing.B, least, sum time.Duration) {
		b.ReportMetric(float64(least.Microseconds())/1000, "cpu-ms/least")
		b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("start", func(b *testing.B) {
		least, sum := time.Hour, time.Duration(0)
		for range b.N {
			d := cpu(b, state, "", bin, "version")
			least, sum = min(least, d), sum+d
		}
		report(b, least, sum)
	})
	programs := map[string][]string{"companion": {bin, "apply-patch"}}
	if peer := os.Getenv("COMPANION_PEER_APPLY_PATCH"); peer != "" {
		programs["peer"] = []string{peer}
	}
	for _, load := range []struct {
		name  string
		n     int
		inOne bool
	}{{"hunks=1", 1, true}, {"hunks=100", 100, true}, {"hunks=2000", 2000, true}, {"files=2000", 2000, false}} {
		for _, who := range []string{"companion", "peer"} {
			cmd, ok := programs[who]
			if !ok {
				continue
			}
			b.Run(load.name+"/"+who, func(b *testing.B) {
				least, sum := time.Hour, time.Duration(0)
				for range b.N {
					dir := b.TempDir()
					patch := patchLoad(b, dir, load.n, load.inOne)
					d := cpu(b, dir, patch, cmd...)
					least, sum = min(least, d), sum+d
				}
				report(b, least, sum)
			})
		}
	}
}
