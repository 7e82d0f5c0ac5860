package agent

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// stopwatch is a model that calls read n times and measures how long it is
// from its last event to the next request.
type stopwatch struct {
	n    int
	last time.Time
	sum  time.Duration
	most time.Duration
}

func (*stopwatch) Name() string { return "stopwatch" }

func (s *stopwatch) Stream(context.Context, model.Request) iter.Seq2[model.Event, error] {
	if !s.last.IsZero() {
		d := time.Since(s.last)
		s.sum += d
		s.most = max(s.most, d)
	}
	return func(yield func(model.Event, error) bool) {
		ev := itemDone(model.Item{Kind: model.Message, Text: "done"})
		stop := model.StopEnd
		if s.n > 0 {
			s.n--
			ev = itemDone(model.Item{Kind: model.ToolCall, Name: "read", Arguments: fmt.Sprintf(`{"path":"%d"}`, s.n)})
			stop = model.StopTools
		}
		s.last = time.Now()
		_ = yield(ev, nil) && yield(model.Event{Kind: model.Done, Stop: stop}, nil)
	}
}

// BenchmarkNextRequest measures from a model's last event to our next request,
// for one call of a tool that does nothing, with the log on disk. The figure to
// stay under is 5 ms.
func BenchmarkNextRequest(b *testing.B) {
	w := &stopwatch{n: b.N}
	store := session.NewStore(b.TempDir())
	tool := fakeTool{tools.Spec{Name: "read", ReadOnly: true}, func(_ context.Context, inv *tools.Invocation) (tools.Result, error) {
		return tools.Result{Text: "text " + string(inv.Call.Raw)}, nil
	}}
	a := New(Options{Models: oneModel{p: w}, Registry: tools.NewRegistry(tool), Pipeline: fakePipeline(), Store: store, MaxSteps: b.N + 1})
	turn, err := a.NewTurn(TurnOptions{Roots: []string{"/proj"}, Input: []session.Input{{Type: "text", Text: "go"}}})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if out := turn.Run(context.Background()); out.Status != Completed {
		b.Fatalf("%+v", out)
	}
	b.ReportMetric(float64(w.sum.Microseconds())/float64(b.N), "µs/step")
	b.ReportMetric(float64(w.most.Microseconds()), "µs/slowest")
	if err := a.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
