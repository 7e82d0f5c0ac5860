package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
	"companion/tools/gate"
	"companion/tools/limit"
)

// realPipeline is the stages of package tools, without a policy.
func realPipeline(t *testing.T) tools.Handler {
	return tools.Chain(tools.Run, tools.Answer(nil), limit.Stage(t.TempDir()), tools.Lookup(), tools.Validate(), tools.Prepare(), gate.Stage(gate.New()))
}

// preparedTool is a whole tool: a schema and an action.
type preparedTool struct {
	spec tools.Spec
	run  func(context.Context, tools.Progress) (tools.Result, error)
}

func (p preparedTool) Spec() tools.Spec { return p.spec }

func (p preparedTool) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{
		Effects: []tools.Effect{{Kind: tools.Write, Path: "/proj/a.go"}}, Locks: []tools.Lock{{Resource: "/proj/a.go"}},
		Activity: "Writing a.go", Locations: []tools.Location{{Path: "/proj/a.go", Line: 3}}, Preview: tools.Preview{Diff: "-a\n+b"}, Run: p.run,
	}, nil
}

var writeSpec = tools.Spec{
	Name:  "write",
	Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
}

func TestCallsGoThroughTheRealStages(t *testing.T) {
	write := preparedTool{writeSpec, func(_ context.Context, out tools.Progress) (tools.Result, error) {
		out.Output("some output")
		out.Activity("Still writing")
		return tools.Result{Text: "written", Changed: []tools.Change{{Path: "/proj/a.go", Before: "a", After: "b"}}}, nil
	}}
	r := newRig(t, rigOptions{
		pipeline: realPipeline(t), tools: []tools.Tool{write},
		turns: []script.Turn{
			{Calls: []script.Call{callOf("write", `{"path":"a.go"}`)}},
			{Calls: []script.Call{callOf("write", `{"path":7.5,"more":1}`), callOf("wrote"), {Name: "write", Arguments: args(`"{\"path\": \"a"`)}}},
			{Expect: []string{"written", "There is no tool \"wrote\""}, Text: "done"},
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed {
		t.Fatalf("%+v", out)
	}
	started := r.find(session.ToolStarted)[0].Tool
	if started.Activity != "Writing a.go" || len(started.Locations) != 1 || started.Locations[0].Line != 3 || started.Arguments != `{"path":"a.go"}` || started.Source != "builtin" {
		t.Errorf("tool.started %+v", started)
	}
	ends := r.find(session.ToolCompleted)
	if e := ends[0].End; e.Diff != "-a\n+b" || len(e.Changed) != 1 || e.Outcome != "ok" {
		t.Errorf("tool.completed %+v", e)
	}
	for _, e := range ends[1:] {
		if e.End.Outcome != "failed" || e.End.Text == "" {
			t.Errorf("tool.completed %+v", e.End)
		}
	}
	if out, act := r.find(session.ToolOutput), r.find(session.ToolProgress); len(out) != 1 || out[0].Text != "some output" || len(act) != 1 || act[0].Text != "Still writing" {
		t.Errorf("output %+v, progress %+v", out, act)
	}
}

func TestUnknownToolsOfTheRealLookupEndTheTurn(t *testing.T) {
	r := newRig(t, rigOptions{pipeline: realPipeline(t), turns: []script.Turn{
		{Calls: []script.Call{callOf("a")}}, {Calls: []script.Call{callOf("b")}}, {Calls: []script.Call{callOf("c")}}, {Calls: []script.Call{callOf("d")}},
	}})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Limit || out.Steps != 4 {
		t.Errorf("%+v", out)
	}
}

func TestStopThroughTheRealStages(t *testing.T) {
	for name, deaf := range map[string]bool{"a call that obeys": false, "a call that does not hear": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				write := preparedTool{writeSpec, func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
					if deaf {
						time.Sleep(time.Hour)
						return tools.Result{}, errors.New("late")
					}
					<-ctx.Done()
					return tools.Result{}, ctx.Err()
				}}
				r := newRig(t, rigOptions{pipeline: realPipeline(t), tools: []tools.Tool{write}, turns: []script.Turn{{Calls: []script.Call{callOf("write", `{"path":"a"}`)}}}})
				turn := r.newTurn(TurnOptions{}, "go")
				ended := make(chan Outcome, 1)
				r.agent.calls.Go(func() { ended <- turn.Run(context.Background()) })
				time.Sleep(3 * time.Second)
				start := time.Now()
				if err := r.agent.Stop(context.Background(), turn.ThreadID(), ""); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took > tools.Grace {
					t.Errorf("took %v", took)
				}
				if out := <-ended; out.Status != Stopped {
					t.Errorf("%+v", out)
				}
				end := r.find(session.ToolCompleted)
				if len(end) != 1 || end[0].End.Outcome != "aborted" || !strings.Contains(strings.ToLower(end[0].End.Text), "aborted by") {
					t.Errorf("%+v", end)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}
