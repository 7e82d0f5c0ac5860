package agent

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/consent"
	"companion/agent/model"
	"companion/agent/model/script"
	"companion/tools"
)

// kinds are the items of a request that are no words of ours, each in one word:
// "user:go", "call:read c1", "result:c1 text".
func kinds(req model.Request) []string {
	var out []string
	for _, it := range req.Items {
		switch {
		case it.Kind == model.ToolCall:
			out = append(out, "call:"+it.Name+" "+it.CallID)
		case it.Kind == model.ToolReply:
			text, _, _ := strings.Cut(it.Text, " ")
			out = append(out, "result:"+it.CallID+" "+text)
		case it.Kind == model.Message && it.Role != model.Developer:
			out = append(out, string(it.Role)+":"+it.Text)
		}
	}
	return out
}

// HB-172: three calls at once of which one has ended when the person stops, and
// then the process dies in the middle of another. Each has one result, in order,
// in every request that follows; the rig checks the pairs.
func TestInterruptedCallsHaveResultsInOrder(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		quick := fakeTool{tools.Spec{Name: "quick", ReadOnly: true}, says("text")}
		slow := fakeTool{tools.Spec{Name: "slow", ReadOnly: true}, waitTool("slow", time.Hour).(fakeTool).run}
		r := newRig(t, rigOptions{
			dir: dir, tools: []tools.Tool{quick, slow}, card: Card{ParallelCalls: true},
			turns: []script.Turn{
				{Calls: []script.Call{callOf("quick"), callOf("slow"), callOf("slow", `{"n":2}`)}},
				{Text: "next"},
				{Calls: []script.Call{callOf("slow", `{"n":3}`)}},
			},
		})
		turn := r.newTurn(TurnOptions{}, "go")
		ended := r.background(turn)
		time.Sleep(time.Second)
		if err := r.agent.Stop(context.Background(), turn.ThreadID(), ""); err != nil {
			t.Fatal(err)
		}
		<-ended
		r.turn(TurnOptions{Thread: turn.ThreadID()}, "on")
		want := "user:go, call:quick c1, call:slow c2, call:slow c3, result:c1 text, result:c2 aborted, result:c3 aborted, user:on"
		if got := strings.Join(kinds(r.rec.reqs[1]), ", "); got != want {
			t.Errorf("sent %s", got)
		}
		dead := r.background(r.newTurn(TurnOptions{Thread: turn.ThreadID()}, "die"))
		time.Sleep(time.Second)
		r2 := newRig(t, rigOptions{dir: copyOf(t, dir), turns: []script.Turn{{Text: "resumed"}}})
		if out := r2.turn(TurnOptions{Thread: turn.ThreadID()}, "again"); out.Status != Completed {
			t.Errorf("%+v", out)
		}
		want += ", assistant:next, user:die, call:slow c4, result:c4 aborted:, user:again"
		if got := strings.Join(kinds(r2.rec.reqs[0]), ", "); got != want {
			t.Errorf("resumed with %s", got)
		}
		r2.mu.Lock()
		r2.events = nil // seq goes on from the first process
		r2.mu.Unlock()
		r.agent.StopAll(context.Background())
		<-dead
	})
}

// HB-173: what the model says after a stop never stands between a call and its
// result.
func TestWordsAfterAStopFollowTheResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{
			tools: []tools.Tool{waitTool("a", time.Hour), fakeTool{tools.Spec{Name: "b"}, says("done")}},
			turns: []script.Turn{{Text: "one", Calls: []script.Call{callOf("a")}}, {Text: "two", Calls: []script.Call{callOf("b")}}, {Text: "end"}},
		})
		turn := r.newTurn(TurnOptions{}, "go")
		ended := r.background(turn)
		time.Sleep(time.Second)
		r.agent.StopAll(context.Background())
		<-ended
		r.turn(TurnOptions{Thread: turn.ThreadID()}, "again")
		const want = "user:go, assistant:one, call:a c1, result:c1 aborted, user:again, assistant:two, call:b c2, result:c2 done"
		if got := strings.Join(kinds(r.rec.reqs[2]), ", "); got != want {
			t.Errorf("sent %s", got)
		}
	})
}

// HB-177: nothing empty is sent: results say that there was no output, messages
// without text are left out, an input of nothing but an attachment has words.
func TestNothingEmptyIsSent(t *testing.T) {
	blank := func(text string) model.Event { return itemDone(model.Item{Kind: model.Message, Text: text}) }
	p := &raw{steps: [][]model.Event{
		{itemDone(model.Item{Kind: model.Reasoning, Text: "hm"}), blank(""), itemDone(model.Item{Kind: model.ToolCall, Name: "mkdir", Arguments: "{}"}), {Kind: model.Done}},
		{blank(" \n"), itemDone(model.Item{Kind: model.ToolCall, Name: "space", Arguments: "{}"}), {Kind: model.Done}},
		{itemDone(model.Item{Kind: model.Reasoning, Text: "hm"}), {Kind: model.Done}},
	}}
	r := newRig(t, rigOptions{provider: p, tools: []tools.Tool{fakeTool{tools.Spec{Name: "mkdir"}, says("")}, fakeTool{tools.Spec{Name: "space"}, says(" \n\t")}}})
	out := r.turn(TurnOptions{}, "")
	r.turn(TurnOptions{Thread: out.Thread}, "on")
	for i, req := range r.rec.reqs {
		for _, it := range req.Items {
			if it.Kind != model.Reasoning && it.Kind != model.ToolCall && strings.TrimSpace(it.Text) == "" {
				t.Errorf("request %d has an empty %s: %+v", i+1, it.Kind, it)
			}
		}
	}
	const want = "user:(no input), call:mkdir c1, result:c1 mkdir:, call:space c2, result:c2 space:, user:on"
	if got := strings.Join(kinds(r.rec.reqs[len(r.rec.reqs)-1]), ", "); got != want {
		t.Errorf("sent %s", got)
	}
}

// A model moves its thread to fewer rights by itself, and to more only with a
// person's yes: where nobody is there, never.
func TestAModelGetsMoreRightsOnlyFromAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		ask  consent.Ask
		to   tools.Mode
		want string
	}{
		"allowed":        {(&answers{replies: []consent.Reply{{Yes: true}}}).ask, tools.ModeAgent, "agent true <nil>"},
		"refused":        {(&answers{replies: []consent.Reply{{}}}).ask, tools.ModeAgent, "edit false <nil>"},
		"stopped":        {(&answers{err: tools.ErrStopped}).ask, tools.ModeAgent, "edit false stopped by the user"},
		"nobody":         {nil, tools.ModeFull, "edit false nobody can be asked"},
		"fewer":          {nil, tools.ModePlan, "plan true <nil>"},
		"fewer, unasked": {(&answers{err: tools.ErrStopped}).ask, tools.ModeAsk, "ask true <nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			var a *Agent
			got := ""
			move := fakeTool{tools.Spec{Name: "move", ReadOnly: true}, func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
				r, err := a.Move(ctx, inv.Call, c.to)
				got = fmt.Sprintf("%s %v %v", a.Mode(inv.Call.Thread), r.Yes, err)
				return tools.Result{Text: "moved"}, nil
			}}
			r := newRig(t, rigOptions{tools: []tools.Tool{move}, turns: []script.Turn{{Calls: []script.Call{callOf("move")}}, {Text: "x"}}, more: func(o *Options) { o.Ask = c.ask }})
			a = r.agent
			if r.turn(TurnOptions{Mode: tools.ModeEdit, ByUser: true}, "go"); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// copyOf is a state folder as a process that dies now leaves it.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
