package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
	"companion/tools/plan"
	"companion/tools/window"
)

// self is what tools about the thread work on; a pointer to the agent, which is
// made after them.
type self struct{ a **Agent }

func (s self) Plan(thread string) (out []plan.Step) {
	for _, x := range (*s.a).Plan(thread) {
		out = append(out, plan.Step(x))
	}
	return out
}

func (s self) SetPlan(thread, turn string, steps []plan.Step) error {
	var out []session.PlanStep
	for _, x := range steps {
		out = append(out, session.PlanStep(x))
	}
	return (*s.a).SetPlan(thread, turn, out)
}

func (s self) Window(thread string) (used, size, at int) { return (*s.a).Window(thread) }
func (s self) Handover(thread, text string) error        { return (*s.a).Handover(thread, text) }

// real runs a tool of ours where the rig's pipeline runs fakes.
func real(tool tools.Tool) tools.Tool {
	return fakeTool{tool.Spec(), func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
		action, err := tool.Prepare(ctx, inv.Call)
		if err != nil {
			return tools.Result{}, err
		}
		return action.Run(ctx, nil)
	}}
}

// planSection is what tells a plan that is not sent any more.
type planSection struct{}

func (planSection) Name() string { return "plan" }

func (planSection) Section(_ context.Context, v ThreadView) (string, error) { return v.Plan, nil }

// planned is a rig whose model has a plan.
func planned(t *testing.T, o rigOptions) *rig {
	t.Helper()
	var a *Agent
	o.tools = append(o.tools, real(plan.Update(self{&a})), real(window.New(self{&a})), real(window.Remaining(self{&a})))
	o.context = append(o.context, planSection{})
	r := newRig(t, o)
	a = r.agent
	return r
}

func steps(list ...string) script.Call {
	var out []map[string]string
	for _, s := range list {
		step, status, _ := strings.Cut(s, ":")
		out = append(out, map[string]string{"step": step, "status": status})
	}
	raw, _ := json.Marshal(map[string]any{"steps": out})
	return script.Call{Name: "update_plan", Arguments: raw}
}

// lastRequest is what the model was sent last, as text.
func (r *rig) lastRequest() string { return script.Said(r.rec.reqs[len(r.rec.reqs)-1]) }

// HB-189 and HB-190: a plan outlives compactions and a restart, exactly once and
// as it is; the same list again is taken, as is one that drops or adds a step.
func TestThePlanOutlivesCompactions(t *testing.T) {
	long := strings.Repeat("words ", 3000)
	five := []string{"one:completed", "two:completed", "three:in_progress", "four:pending", "five:pending"}
	const inWords = "1. [x] one\n2. [x] two\n3. [>] three\n4. [ ] four\n5. [ ] five"
	dir := t.TempDir()
	r := planned(t, rigOptions{
		dir: dir, card: Card{Offline: true}, turns: []script.Turn{
			{Calls: []script.Call{steps(five...)}},
			{Text: long},
			{Text: "on"},
			{Text: "on"},
			{Calls: []script.Call{steps(five...)}},
			{Calls: []script.Call{steps(five[1:]...)}},
			{Calls: []script.Call{steps("two:completed", "six:bad")}},
			{Text: long},
			{Text: "end"},
		},
	})
	out := r.turn(TurnOptions{}, "go "+long)
	compact := func(n int) {
		for range n {
			if _, _, err := r.agent.Compact(context.Background(), out.Thread); err != nil {
				t.Fatal(err)
			}
			r.agent.turnsEnded(t, out.Thread)
		}
	}
	for _, n := range []int{1, 3} {
		compact(n)
		r.turn(TurnOptions{Thread: out.Thread}, "on "+long)
		if said := r.lastRequest(); strings.Count(said, inWords) != 1 || strings.Count(said, "five") != 1 {
			t.Errorf("after %d compactions more the plan is there %d times: %.3000s", n, strings.Count(said, "five"), said)
		}
	}
	r.turn(TurnOptions{Thread: out.Thread}, "update it")
	got := r.results()
	if len(got) != 3 || !strings.Contains(got[0], "2 of 5 steps completed") || !strings.Contains(got[1], "1 of 4 steps completed") ||
		!strings.Contains(got[1], "1 steps of the plan before") || !strings.Contains(got[2], `steps[1].status is "bad"`) || !strings.Contains(got[2], "1. completed: two\n2. in_progress: three") {
		t.Errorf("results %q", got)
	}
	if n := len(r.find(session.PlanUpdated)); n != 3 {
		t.Errorf("the plan was told %d times", n)
	}
	compact(1)
	if err := r.agent.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	r2 := planned(t, rigOptions{dir: dir, card: Card{Offline: true}, turns: []script.Turn{{Text: "resumed"}}})
	r2.turn(TurnOptions{Thread: out.Thread}, "and now?")
	if said := r2.lastRequest(); strings.Count(said, "1. [x] two\n2. [>] three\n3. [ ] four\n4. [ ] five") != 1 || strings.Count(said, "five") != 1 {
		t.Errorf("after the restart: %.3000s", said)
	}
	r2.mu.Lock()
	r2.events = nil // seq goes on from the first process
	r2.mu.Unlock()
}

func (a *Agent) turnsEnded(t *testing.T, thread string) {
	t.Helper()
	if n := len(a.running(thread, "")); n != 0 {
		t.Fatalf("%d turns run", n)
	}
}

func TestAThreadIsShortenedBeforeItsWindowIsFull(t *testing.T) {
	summary := script.Turn{Expect: []string{"about to be shortened"}, Text: "It was all about tabs."}
	used := func(n int, turn script.Turn) script.Turn {
		turn.Usage = &script.Usage{Input: n, Cached: n / 2, Output: 10}
		return turn
	}
	long := strings.Repeat("words ", 2000)
	read := script.Turn{Calls: []script.Call{callOf("read")}}
	for name, c := range map[string]struct {
		turns     []script.Turn
		window    int
		compacted int
		warned    bool
	}{
		"in time": {[]script.Turn{used(8000, read), summary, used(900, script.Turn{Expect: []string{"all about tabs", "go"}, Refuse: []string{"words words"}, Text: "fine"})}, 10_000, 1, false},
		"results count before the vendor has counted them": {[]script.Turn{used(6000, read), summary, used(900, script.Turn{Text: "fine"})}, 10_000, 1, false},
		"there is room": {[]script.Turn{used(3000, read), used(5000, script.Turn{Text: "fine"})}, 10_000, 0, false},
		"no window":     {[]script.Turn{used(8000, read), used(90_000, script.Turn{Text: "fine"})}, 0, 0, false},
		"no summary":    {[]script.Turn{used(8000, read), {Error: &script.Error{Kind: model.ErrOverload, Text: "busy"}}, used(900, script.Turn{Expect: []string{"What was done"}, Text: "fine"})}, 10_000, 1, false},
		// HB-182: the vendor counts too much whatever is done.
		"usage is always above": {[]script.Turn{used(9000, read), summary, used(9000, read), used(9001, read), used(9002, script.Turn{Text: "fine"})}, 10_000, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{turns: c.turns, tools: []tools.Tool{readTool(long)}, card: Card{ContextWindow: c.window}})
			out := r.turn(TurnOptions{}, "go")
			if out.Status != Completed {
				t.Errorf("%+v", out)
			}
			if err := r.script.Unused(); err != nil {
				t.Error(err)
			}
			e := r.find(session.ContextCompacted)
			if len(e) != c.compacted || len(e) > 0 && (e[0].Turn != out.Turn || e[0].After >= e[0].Before) {
				t.Errorf("compacted %+v", e)
			}
			broken := 0
			for _, u := range r.find(session.UsageReported) {
				if u.Usage.PrefixBroken == "the thread was compacted" {
					broken++
				}
			}
			if broken != c.compacted {
				t.Errorf("%d of %d broken prefixes are told", broken, c.compacted)
			}
		})
	}
}

// HB-182: a model to which everything is too long, the question for a summary
// too, is asked a bounded number of times; the thread stays usable.
func TestAModelToWhichAllIsTooLongIsNotAskedForEver(t *testing.T) {
	tooLong := &model.Error{Kind: model.ErrContext, Provider: "raw", Text: "prompt too long"}
	long := strings.Repeat("words ", 3000)
	p := &raw{steps: make([][]model.Event, 40)}
	for range 40 {
		p.errs = append(p.errs, tooLong)
	}
	r := newRig(t, rigOptions{provider: p, card: Card{ContextWindow: 4000}})
	thread := ""
	for i := range 3 {
		out := r.turn(TurnOptions{Thread: thread}, long)
		thread = out.Thread
		if out.Status != Failed || !strings.Contains(out.Error, "compact it, start a new thread") {
			t.Errorf("%+v", out)
		}
		if p.n > 5*(i+1) {
			t.Fatalf("turn %d: asked %d times", i+1, p.n)
		}
	}
	if _, _, err := r.agent.Compact(context.Background(), thread); err != nil {
		t.Errorf("a person cannot shorten it: %v", err)
	}
	p.errs = nil
	p.steps = append(make([][]model.Event, p.n), []model.Event{itemDone(model.Item{Kind: model.Message, Text: "fine"}), {Kind: model.Done, Stop: model.StopEnd}})
	if out := r.turn(TurnOptions{Thread: thread}, "again"); out.Status != Completed {
		t.Errorf("the thread is not usable: %+v", out)
	}
}

func TestAPersonShortensAThreadUnderItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("words ", 2000)
		r := newRig(t, rigOptions{
			tools: []tools.Tool{waitTool("wait", time.Minute)},
			turns: []script.Turn{
				{Text: long, Calls: []script.Call{callOf("wait")}},
				{Expect: []string{"about to be shortened"}, Text: "a summary"},
				{Expect: []string{"a summary", "go"}, Text: long, Calls: []script.Call{callOf("wait")}},
				{Expect: []string{"about to be shortened"}, Text: "another"},
				{Expect: []string{"another"}, Text: "fine"},
				{Expect: []string{"about to be shortened"}, Text: "the last"},
			},
		})
		turn := r.newTurn(TurnOptions{}, "go")
		ended := r.background(turn)
		for range 2 {
			time.Sleep(time.Second)
			if before, after, err := r.agent.Compact(context.Background(), turn.ThreadID()); err != nil || after >= before {
				t.Errorf("%d to %d: %v", before, after, err)
			}
		}
		if out := <-ended; out.Status != Completed || out.Usage.Input != 5 {
			t.Errorf("%+v", out)
		}
		// A turn that is stopped answers who waits.
		if _, _, err := r.agent.Compact(context.Background(), turn.ThreadID()); err != nil {
			t.Error(err)
		}
	})
}

func TestAHandoverIsAllThatIsLeft(t *testing.T) {
	const text = "Part one is done in a.go; part two begins at b.go:1, and nothing failed so far."
	handover, _ := json.Marshal(map[string]string{"handover": text})
	long := strings.Repeat("words ", 2000)
	r := planned(t, rigOptions{
		card: Card{ContextWindow: 50_000}, tools: []tools.Tool{readTool(long)}, turns: []script.Turn{
			{Calls: []script.Call{steps("one:completed", "two:in_progress"), callOf("read")}},
			{Calls: []script.Call{{Name: "new_context", Arguments: json.RawMessage(`{"handover":"go on"}`)}}},
			{Expect: []string{"at least 40 bytes"}, Calls: []script.Call{{Name: "new_context", Arguments: handover}}},
			{Expect: []string{text, "1. [x] one\n2. [>] two", "do both"}, Refuse: []string{"words words"}, Calls: []script.Call{callOf("get_context_remaining")}},
			{Text: long},
			{Expect: []string{"about to be shortened"}, Text: "summed up"},
			{Text: "end"},
		},
	})
	out := r.turn(TurnOptions{}, "do both")
	if got := r.results(); out.Status != Completed || len(got) != 1 || !strings.Contains(got[0], "of 50000 tokens are used") || !strings.Contains(got[0], "At 40000 the thread is shortened") {
		t.Errorf("%q, %+v", got, out)
	}
	if _, _, err := r.agent.Compact(context.Background(), out.Thread); err != nil {
		t.Fatal(err)
	}
	r.turn(TurnOptions{Thread: out.Thread}, "and?")
	if said := r.lastRequest(); strings.Count(said, text) != 1 || !strings.Contains(said, "summed up") {
		t.Errorf("the handover is there %d times after a compaction: %.2000s", strings.Count(said, text), said)
	}
}

// HB-180: what is left of long arguments when a thread was shortened is no cut
// JSON; the calls that are sent are as the model wrote them.
func TestArgumentsStayWholeWhenAThreadIsShortened(t *testing.T) {
	content := strings.Repeat("text ", 1024)
	call := callOf("edit", fmt.Sprintf(`{"path":"a.go","content":%q}`, content))
	r := newRig(t, rigOptions{
		card: Card{ContextWindow: 10_000}, tools: []tools.Tool{editTool("edited")}, turns: []script.Turn{
			{Calls: []script.Call{call}},
			{Usage: &script.Usage{Input: 9000, Output: 1}, Calls: []script.Call{call}},
			{Expect: []string{"about to be shortened"}, Error: &script.Error{Kind: model.ErrContext, Text: "too long"}},
			{Expect: []string{"called edit"}, Calls: []script.Call{call}},
			{Text: "done"},
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed || len(r.find(session.ContextCompacted)) != 1 {
		t.Errorf("%+v", out)
	}
	seen := 0
	for _, req := range r.rec.reqs {
		for _, it := range req.Items {
			if it.Kind == model.ToolCall {
				if seen++; !json.Valid([]byte(it.Arguments)) || !strings.Contains(it.Arguments, content) {
					t.Errorf("arguments %.200s", it.Arguments)
				}
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d calls were sent", seen)
	}
}
