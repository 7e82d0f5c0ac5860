//go:build unix

package search

import (
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"companion/tools"
)

// least is the least that each of the things which a benchmark runs over and over
// took, by the clock and in CPU, ours and that of programs: others work on the
// machine too.
type least struct{ clock, cpu map[string]time.Duration }

func (l *least) run(name string, f func()) {
	if l.clock == nil {
		l.clock, l.cpu = map[string]time.Duration{}, map[string]time.Duration{}
	}
	runtime.GC() // what one leaves is not swept by the next
	begin, before := time.Now(), used()
	f()
	took, cpu := time.Since(begin), used()-before
	if l.clock[name] == 0 || took < l.clock[name] {
		l.clock[name] = took
	}
	if l.cpu[name] == 0 || cpu < l.cpu[name] {
		l.cpu[name] = cpu
	}
}

func used() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

func (l *least) report(b *testing.B, floor string) {
	b.ReportMetric(0, "ns/op")
	for name := range l.clock {
		b.ReportMetric(float64(l.clock[name].Microseconds())/1000, name+"-ms")
		b.ReportMetric(float64(l.cpu[name].Microseconds())/1000, name+"-cpu-ms")
		if name != floor {
			b.ReportMetric(float64(l.clock[name])/float64(l.clock[floor]), name+"/"+floor)
			b.ReportMetric(float64(l.cpu[name])/float64(l.cpu[floor]), name+"/"+floor+"-cpu")
		}
	}
}

func program(b *testing.B, dir string, args ...string) func() {
	b.Helper()
	if !hasRipgrep() {
		b.Skip("NOT RUN: ripgrep is not installed (scripts/need.sh search)")
	}
	return func() {
		cmd := exec.Command("rg", append([]string{"--no-config"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, out); err != nil {
			b.Fatal(err)
		}
		_ = cmd.Wait() // 1 = nothing found
	}
}

func called(b *testing.B, r *room, tool tools.Tool, a args) func() {
	b.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.Fatal(err)
	}
	call := r.call
	call.Args = raw
	return func() {
		action, err := tool.Prepare(context.Background(), call)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := action.Run(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearchGrep: Go's own sources, 11,000 files of 150 MB, by ripgrep
// alone, by grep with it and by grep without it; the least time of each.
func BenchmarkSearchGrep(b *testing.B) {
	dir := filepath.Join(goRoot(b), "src")
	for _, c := range []struct {
		name string
		args args
		rg   []string
	}{
		{"literal100", args{"pattern": "ErrShortWrite"}, []string{"-n", "ErrShortWrite"}},
		{"literal10000", args{"pattern": "if err != nil"}, []string{"-n", "if err != nil"}},
		{"prefix", args{"pattern": `strings\.B\w+er\b`}, []string{"-n", `strings\.B\w+er\b`}},
		{"none", args{"pattern": "no such text at all"}, []string{"-n", "no such text at all"}},
		{"ignoreCase", args{"pattern": "errshortwrite", "ignore_case": true}, []string{"-n", "-i", "errshortwrite"}},
		{"count10000", args{"pattern": "if err != nil", "mode": "count"}, []string{"-c", "if err != nil"}},
		{"noLiteral", args{"pattern": `[A-Z][a-z]+[0-9]{3}[a-z]`}, []string{"-n", `[A-Z][a-z]+[0-9]{3}[a-z]`}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := open1(b, dir)
			alone := r.o
			alone.NoRipgrep = true
			rg, with, without := program(b, dir, c.rg...), called(b, r, Grep(r.o), c.args), called(b, r, Grep(alone), c.args)
			var t least
			for b.Loop() {
				t.run("rg", rg)
				t.run("with", with)
				t.run("without", without)
			}
			t.report(b, "rg")
		})
	}
}

// BenchmarkSearchGlob: the same tree by `rg --files` and by glob, which sorts by
// time besides.
func BenchmarkSearchGlob(b *testing.B) {
	dir := filepath.Join(goRoot(b), "src")
	for name, pattern := range map[string]string{"some": "**/*_test.go", "all": "**"} {
		b.Run(name, func(b *testing.B) {
			r := open1(b, dir)
			rg, glob := program(b, dir, "--files"), called(b, r, Glob(r.o), args{"pattern": pattern})
			var t least
			for b.Loop() {
				t.run("rg", rg)
				t.run("glob", glob)
			}
			t.report(b, "rg")
		})
	}
}
