package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

func words(s string) []session.Input { return []session.Input{{Type: "text", Text: s}} }

// background runs a turn; the channel gives its outcome.
func (r *rig) background(t *Turn) <-chan Outcome {
	out := make(chan Outcome, 1)
	r.agent.calls.Go(func() { out <- t.Run(context.Background()) })
	return out
}

// waitTool is a tool that runs for d, or until it is stopped.
func waitTool(name string, d time.Duration) tools.Tool {
	return fakeTool{tools.Spec{Name: name}, func(ctx context.Context, _ *tools.Invocation) (tools.Result, error) {
		select {
		case <-time.After(d):
			return tools.Result{Text: "waited"}, nil
		case <-ctx.Done():
			return tools.Result{}, ctx.Err()
		}
	}}
}

func TestSteeredInputIsReadBeforeTheNextStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{tools: []tools.Tool{waitTool("wait", 10*time.Second)}, turns: []script.Turn{
			{Calls: []script.Call{callOf("wait")}},
			{Expect: []string{"rather in French"}, Text: "Bonjour"},
		}})
		turn := r.newTurn(TurnOptions{}, "say hello")
		out := r.background(turn)
		time.Sleep(5 * time.Second)
		if ok, err := r.agent.Steer(turn.ThreadID(), turn.ID(), words("rather in French")); !ok || err != nil {
			t.Errorf("steer: %v, %v", ok, err)
		}
		if o := <-out; o.Status != Completed || o.Text != "Bonjour" || o.Steps != 2 {
			t.Errorf("%+v", o)
		}
		items := r.rec.reqs[1].Items
		if last := items[len(items)-1]; last.Role != model.User || last.Text != "rather in French" || items[len(items)-2].Kind != model.ToolReply {
			t.Errorf("the last items are %+v", items[len(items)-2:])
		}
		if e := r.find(session.TurnSteered); len(e) != 1 || e[0].Input[0].Text != "rather in French" {
			t.Errorf("turn.steered %+v", e)
		}
		if _, err := r.agent.Steer(turn.ThreadID(), turn.ID(), words("late")); !errors.Is(err, ErrTurnNotFound) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// lateBarrier waits at the end of a turn.
type lateBarrier struct{ d time.Duration }

func (lateBarrier) AfterStep(context.Context, []tools.Finished) {}

func (b lateBarrier) AfterTurn(ctx context.Context, _ string) string {
	select {
	case <-time.After(b.d):
	case <-ctx.Done():
	}
	return ""
}

func TestATurnThatIsAboutToEndReadsSteeredInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{barrier: lateBarrier{10 * time.Second}, turns: []script.Turn{
			{Text: "done"}, {Expect: []string{"one more thing"}, Text: "that too"},
		}})
		turn := r.newTurn(TurnOptions{}, "go")
		out := r.background(turn)
		time.Sleep(5 * time.Second)
		if ok, err := r.agent.Steer("", turn.ID(), words("one more thing")); !ok || err != nil {
			t.Errorf("steer: %v, %v", ok, err)
		}
		if o := <-out; o.Text != "that too" {
			t.Errorf("%+v", o)
		}
	})
}

func TestInputThatCameTooLateIsThereForTheNextTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{tools: []tools.Tool{waitTool("wait", time.Minute)}, turns: []script.Turn{
			{Calls: []script.Call{callOf("wait")}}, {Expect: []string{"mind the gap"}, Text: "I do"},
		}})
		turn := r.newTurn(TurnOptions{}, "go")
		out := r.background(turn)
		time.Sleep(time.Second)
		if _, err := r.agent.Steer("", turn.ID(), words("mind the gap")); err != nil {
			t.Error(err)
		}
		if err := r.agent.Stop(context.Background(), "", turn.ID()); err != nil {
			t.Error(err)
		}
		if o := <-out; o.Status != Stopped {
			t.Errorf("%+v", o)
		}
		if o := r.turn(TurnOptions{Thread: turn.ThreadID()}, "again"); o.Text != "I do" {
			t.Errorf("%+v", o)
		}
	})
}

func TestABusyThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{tools: []tools.Tool{waitTool("wait", 10*time.Second)}, turns: []script.Turn{
			{Calls: []script.Call{callOf("wait")}},
			{Expect: []string{"joined in"}, Text: "first"},
			{Expect: []string{"second in line"}, Text: "second"},
			{Expect: []string{"third in line"}, Text: "third"},
		}})
		first := r.newTurn(TurnOptions{}, "go")
		thread := first.ThreadID()
		for _, how := range []string{"", Reject} {
			if _, err := r.agent.NewTurn(TurnOptions{Thread: thread, Input: words("x"), IfBusy: how}); !errors.Is(err, ErrTurnRunning) {
				t.Errorf("%q: %v", how, err)
			}
		}
		if _, err := r.agent.NewTurn(TurnOptions{Thread: thread, Input: words("x"), IfBusy: "later"}); !errors.Is(err, ErrInput) {
			t.Errorf("unknown: %v", err)
		}
		second := r.newTurn(TurnOptions{Thread: thread, IfBusy: Queue, Mode: tools.ModeAsk}, "second in line")
		third := r.newTurn(TurnOptions{Thread: thread, IfBusy: Queue}, "third in line")
		out3, out2 := r.background(third), r.background(second)
		synctest.Wait()
		if n := len(r.find(session.TurnStarted)); n != 0 {
			t.Errorf("%d turns began before the first", n)
		}
		out1 := r.background(first)
		time.Sleep(time.Second)
		joined := r.newTurn(TurnOptions{Thread: thread, IfBusy: Join}, "joined in")
		if joined.ID() != first.ID() || joined.ThreadID() != thread || !joined.Joined() || first.Joined() {
			t.Errorf("joined %s of %s", joined.ID(), first.ID())
		}
		if o := joined.Run(context.Background()); o.Status != "" || o.Turn != first.ID() {
			t.Errorf("%+v", o)
		}
		if n := len(r.agent.Running()); n != 3 {
			t.Errorf("%d turns are running or waiting", n)
		}
		for i, out := range []<-chan Outcome{out1, out2, out3} {
			if o := <-out; o.Status != Completed || o.Text != []string{"first", "second", "third"}[i] {
				t.Errorf("turn %d: %+v", i+1, o)
			}
		}
		var order []string
		for _, e := range r.find(session.TurnStarted) {
			order = append(order, e.Mode)
		}
		if got := strings.Join(order, " "); got != "agent ask ask" {
			t.Errorf("modes %s", got)
		}
	})
}

func TestInputThatCannotBeUsed(t *testing.T) {
	r := newRig(t, rigOptions{card: Card{ID: "script/blind"}, turns: []script.Turn{{Text: "x"}}})
	for said, in := range map[string]session.Input{
		"skills are not there yet": {Type: "skill", Name: "deploy"},
		"cannot see images":        {Type: "image", MimeType: "image/png", Data: "AAAA"},
		"unknown type":             {Type: "smell"},
		"needs a uri":              {Type: "file"},
	} {
		_, err := r.agent.NewTurn(TurnOptions{Roots: []string{"/w"}, Input: []session.Input{in}})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", in.Type, err)
		}
	}
	if _, err := r.agent.NewTurn(TurnOptions{Roots: []string{"/w"}, Mode: "root", Input: words("x")}); !errors.Is(err, ErrInput) {
		t.Errorf("mode: %v", err)
	}
	if infos, _ := r.agent.Threads(); len(infos) != 0 {
		t.Errorf("threads of turns that never were: %+v", infos)
	}
	turn := r.newTurn(TurnOptions{}, "x")
	if _, err := r.agent.Steer("", turn.ID(), []session.Input{{Type: "skill"}}); !errors.Is(err, ErrInput) {
		t.Errorf("steer: %v", err)
	}
	turn.Run(context.Background())
}

func TestImagesReachModelsThatSeeThem(t *testing.T) {
	image := []session.Input{{Type: "image", MimeType: "image/png", Data: "AAECAw=="}}
	r := newRig(t, rigOptions{card: Card{ID: "script/eye", Images: true}, turns: []script.Turn{{Text: "a cat"}, {Text: "a word"}}})
	out := r.turn(TurnOptions{Input: image}, "")
	if im := r.rec.reqs[0].Items[0].Images; len(im) != 1 || im[0].MimeType != "image/png" || len(im[0].Data) != 4 {
		t.Fatalf("images %+v", im)
	}
	r.agent.o.Models = oneModel{r.rec, Card{ID: "script/blind"}}
	r.turn(TurnOptions{Thread: out.Thread}, "and now?")
	if it := r.rec.reqs[1].Items[0]; len(it.Images) != 0 || !strings.Contains(it.Text, "sees no images") {
		t.Errorf("a blind model got %+v", it)
	}
	r.rec.reqs = r.rec.reqs[:1] // the model changed, and with it how items are sent
}
