package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/consent"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

// settling is a barrier whose AfterStep waits for its context.
type settling struct{ lateBarrier }

func (settling) AfterStep(ctx context.Context, _ []tools.Finished) { <-ctx.Done() }

// asking is a pipeline that waits for a person.
func asking(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
	inv.Notices.Started(inv)
	inv.Notices.(tools.Asked).Asked(inv)
	<-ctx.Done()
	return tools.Result{}, ctx.Err()
}

func TestAStopInAnyPhaseEndsTheTurnOnce(t *testing.T) {
	work := []script.Turn{{Text: "x", Calls: []script.Call{callOf("wait")}}, {Text: "again"}, {Text: "again"}}
	never := waitTool("wait", time.Hour)
	brief := waitTool("wait", time.Second)
	for phase, o := range map[string]rigOptions{
		"streaming":     {turns: []script.Turn{{Text: "half", Stall: true}, {Text: "again"}}},
		"approval":      {turns: work, tools: []tools.Tool{never}, pipeline: asking},
		"running tool":  {turns: work, tools: []tools.Tool{never}},
		"settling":      {turns: work, tools: []tools.Tool{brief}, barrier: settling{}},
		"end of turn":   {turns: work[1:], barrier: lateBarrier{time.Hour}},
		"mode approval": {turns: work[1:], more: func(o *Options) { o.Ask = forever }},
	} {
		t.Run(phase, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, o)
				info, err := r.agent.StartThread(ThreadOptions{Roots: []string{"/w"}})
				if err != nil {
					t.Fatal(err)
				}
				to := TurnOptions{Thread: info.ID}
				if phase == "mode approval" {
					to.Mode = tools.ModeFull
				}
				turn := r.newTurn(to, "go")
				out := r.background(turn)
				waiting := r.newTurn(TurnOptions{Thread: info.ID, IfBusy: Queue}, "and then")
				begunLine := r.background(waiting)
				reserved := r.newTurn(TurnOptions{Thread: info.ID, IfBusy: Queue}, "and last")
				time.Sleep(10 * time.Second)
				for _, u := range []*Turn{reserved, waiting, turn} {
					start := time.Now()
					if err := r.agent.Stop(context.Background(), info.ID, u.ID()); err != nil {
						t.Errorf("stop: %v", err)
					}
					if took := time.Since(start); took > 2*time.Second {
						t.Errorf("the stop took %v", took)
					}
					if n := r.ends(u.ID()); n != "1 1" {
						t.Errorf("turn.started and turn.completed of %s: %s", u.o.Input[0].Text, n)
					}
				}
				for _, o := range []Outcome{<-out, <-begunLine, reserved.Run(context.Background())} {
					if o.Status != Stopped || o.Turn == "" {
						t.Errorf("%+v", o)
					}
				}
				if n := r.ends(reserved.ID()); n != "1 1" {
					t.Errorf("after Run: %s", n)
				}
				if len(r.agent.Running()) != 0 {
					t.Errorf("running: %+v", r.agent.Running())
				}
			})
		})
	}
}

func forever(ctx context.Context, _ consent.Question) (consent.Reply, error) {
	<-ctx.Done()
	return consent.Reply{}, ctx.Err()
}

// ends counts turn.started and turn.completed of a turn.
func (r *rig) ends(turn string) string {
	started, completed := 0, 0
	for _, e := range r.seen() {
		if e.Turn == turn && e.Type == session.TurnStarted {
			started++
		}
		if e.Turn == turn && e.Type == session.TurnCompleted {
			completed++
		}
	}
	return fmt.Sprint(started, completed)
}

func TestStopAllStopsWhatWaitsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{turns: []script.Turn{{Text: "half", Stall: true}}})
		first := r.newTurn(TurnOptions{}, "go")
		second := r.newTurn(TurnOptions{Thread: first.ThreadID(), IfBusy: Queue}, "then")
		out1, out2 := r.background(first), r.background(second)
		time.Sleep(time.Second)
		if ids := r.agent.StopAll(context.Background()); len(ids) != 2 {
			t.Errorf("stopped %v", ids)
		}
		if a, b := <-out1, <-out2; a.Status != Stopped || b.Status != Stopped || b.Steps != 0 {
			t.Errorf("%+v %+v", a, b)
		}
	})
}

func TestTwoThreadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns []script.Turn
		for range 2 {
			turns = append(turns, script.Turn{Calls: []script.Call{callOf("wait")}})
		}
		look := waitTool("wait", 10*time.Second).(fakeTool)
		look.spec.ReadOnly = true
		r := newRig(t, rigOptions{tools: []tools.Tool{look}, turns: append(turns, script.Turn{Text: "done"}, script.Turn{Text: "done"})})
		a, b := r.newTurn(TurnOptions{}, "one"), r.newTurn(TurnOptions{}, "two")
		start := time.Now()
		outA, outB := r.background(a), r.background(b)
		if x, y := <-outA, <-outB; x.Status != Completed || y.Status != Completed || x.Thread == y.Thread {
			t.Errorf("%+v %+v", x, y)
		}
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestAStoppedTurnInLineLetsTheNextOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{tools: []tools.Tool{waitTool("wait", 10*time.Second)}, turns: []script.Turn{
			{Calls: []script.Call{callOf("wait")}}, {Text: "first"}, {Expect: []string{"third"}, Refuse: []string{"second"}, Text: "third"},
		}})
		first := r.newTurn(TurnOptions{}, "first")
		in := TurnOptions{Thread: first.ThreadID(), IfBusy: Queue}
		second, third := r.newTurn(in, "second"), r.newTurn(in, "third")
		out1, out2, out3 := r.background(first), r.background(second), r.background(third)
		time.Sleep(time.Second)
		if err := r.agent.Stop(context.Background(), "", second.ID()); err != nil {
			t.Error(err)
		}
		if o := <-out2; o.Status != Stopped {
			t.Errorf("%+v", o)
		}
		if a, c := <-out1, <-out3; a.Text != "first" || c.Text != "third" {
			t.Errorf("%+v %+v", a, c)
		}
		if ok, err := r.agent.Steer("", second.ID(), words("x")); ok || !errors.Is(err, ErrTurnNotFound) {
			t.Errorf("%v, %v", ok, err)
		}
	})
}
