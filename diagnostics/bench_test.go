package diagnostics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/lsptest"
	"companion/tools"
)

// BenchmarkFeedback measures, on real gopls, how long the edited file's
// diagnostics take to come back, against the time in which gopls itself
// publishes for that change. Both start when the change is sent.
//
//	ratio    own-file feedback ÷ gopls's publish, of the medians (target ≤ 1.2, + 5 ms)
//	own-ms   own-file feedback, median
//	gopls-ms gopls's publish, median
//	step-ms  the whole barrier, until the other files are known too, median
func BenchmarkFeedback(b *testing.B) {
	need(b, "gopls")
	ws, at := project(b, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "main.go": goodGo})
	s := start(b, Options{Workspace: ws, Env: env(b)})
	path := at("main.go")
	if rep, _, err := s.Diagnostics(b.Context(), []string{path}, tools.Warning); err != nil || rep.Status != tools.Complete {
		b.Fatalf("%+v %v", rep, err)
	}
	in := s.servers(path)[0]
	c := in.Now()
	var own, server, whole []time.Duration
	texts := []string{badGo, goodGo}
	i := 0
	for b.Loop() {
		f := write(b, ws, path, texts[i%2])
		i++
		s.own(b.Context(), in, path, time.Minute)
		sent, _, _ := c.Times(path)
		own = append(own, time.Since(sent))
		s.AfterStep(b.Context(), []tools.Finished{f})
		whole = append(whole, time.Since(sent))
		if f.Result.Report.Status != tools.Complete {
			b.Fatalf("%+v", f.Result.Report)
		}
		_, _, published := c.Times(path)
		server = append(server, published.Sub(sent))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds()) / 1000
	}
	o, g := median(own), median(server)
	b.ReportMetric(o/g, "ratio")
	b.ReportMetric(o, "own-ms")
	b.ReportMetric(g, "gopls-ms")
	b.ReportMetric(median(whole), "step-ms")
}

// BenchmarkManyProblems measures the CPU of a step whose file has 50,000
// problems, nearly all of them there before: a server that publishes in the same
// process is part of it.
//
//	step-ms  the whole barrier
func BenchmarkManyProblems(b *testing.B) {
	const n = 50_000
	ws, at := project(b, map[string]string{"a.fk": strings.Repeat("BAD\n", n)})
	profile := lspclient.Profile{Own: 20 * ms}
	s := start(b, Options{
		Workspace: ws, Dial: lsptest.New(lsptest.Options{}).Dial, Env: []string{},
		Bounds:  Bounds{Cold: time.Minute, Query: time.Minute, Soft: 20 * time.Second, Hard: 20 * time.Second},
		Servers: map[string]Override{"fake": {Command: "fake", Extensions: []string{"fk"}, Profile: &profile}},
	})
	path := at("a.fk")
	if rep, _, err := s.Diagnostics(b.Context(), []string{path}, tools.Warning); err != nil || rep.Status != tools.Complete {
		b.Fatalf("%+v %v", rep, err)
	}
	i := 0
	var took time.Duration
	for b.Loop() {
		f := write(b, ws, path, strings.Repeat("x\n", i%2+1)+strings.Repeat("BAD\n", n))
		i++
		begun := time.Now()
		s.AfterStep(b.Context(), []tools.Finished{f})
		took += time.Since(begun)
		if f.Result.Report.Status != tools.Complete {
			b.Fatalf("%+v", f.Result.Report.Status)
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "step-ms")
}
