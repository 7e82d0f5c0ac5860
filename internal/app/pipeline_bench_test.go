package app

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
	"companion/tools/gate"
	"companion/tools/router"
)

// idle is a tool that sleeps.
type idle struct{ sleeps time.Duration }

func (idle) Spec() tools.Spec {
	return tools.Spec{
		Name: "idle", Description: "Sleeps.", ReadOnly: true,
		Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"],"additionalProperties":false}`),
	}
}

func (i idle) Prepare(_ context.Context, c tools.Call) (tools.Action, error) {
	return tools.Action{Locks: []tools.Lock{{Resource: "/proj/a.go", Shared: true}}, Run: func(context.Context, tools.Progress) (tools.Result, error) {
		time.Sleep(i.sleeps)
		return tools.Result{Text: "done"}, nil
	}}, nil
}

// step runs n calls of idle at once, as a step of the agent does.
func step(b *testing.B, c *core, box *tools.Box, n int) {
	line := gate.NewLine()
	var wg conc.WaitGroup
	for i := range n {
		place := line.Join(true)
		wg.Go(func() {
			defer place.Leave()
			res, err := (*c.pipeline.Load())(context.Background(), &tools.Invocation{Box: box, Order: place, Call: tools.Call{
				Thread: "t", Turn: "u", ID: fmt.Sprint("c", i), Mode: tools.ModeAgent, Roots: c.ws.Roots(), Name: "idle", Raw: json.RawMessage(`{"path":"a.go","n":3}`),
			}})
			if err != nil || res.Outcome != tools.OK {
				b.Errorf("%v %v", res, err)
			}
		})
	}
	wg.Wait()
}

func bench(b *testing.B, sleeps time.Duration, calls int) {
	c := withSettings(b, `{}`)
	if err := c.reg.Add(idle{sleeps}); err != nil {
		b.Fatal(err)
	}
	var cache router.Cache
	box := cache.Box(c.reg, c.scene("t"), nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		step(b, c, box, calls)
	}
}

// BenchmarkCallOfNothing is what all stages cost: at most 100 µs.
func BenchmarkCallOfNothing(b *testing.B) { bench(b, 0, 1) }

// BenchmarkEightCallsOf300ms takes at most 330 ms.
func BenchmarkEightCallsOf300ms(b *testing.B) { bench(b, 300*time.Millisecond, 8) }
