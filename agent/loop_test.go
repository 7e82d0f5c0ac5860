package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

func args(s string) json.RawMessage { return json.RawMessage(s) }

func callOf(name string, arguments ...string) script.Call {
	c := script.Call{Name: name}
	if len(arguments) > 0 {
		c.Arguments = args(arguments[0])
	}
	return c
}

// results are the texts of the results in the last request.
func (r *rig) results() []string {
	var out []string
	for _, it := range r.rec.reqs[len(r.rec.reqs)-1].Items {
		if it.Kind == model.ToolReply {
			out = append(out, it.Text)
		}
	}
	return out
}

func (r *rig) find(typ session.EventType) []session.Event {
	var out []session.Event
	for _, e := range r.seen() {
		if e.Type == typ {
			out = append(out, e)
		}
	}
	return out
}

func TestReadOnlyCallsRunBesideEachOtherAndAnswerInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		slow := fakeTool{tools.Spec{Name: "slow", ReadOnly: true}, func(_ context.Context, inv *tools.Invocation) (tools.Result, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			var a struct{ Ms int }
			if err := json.Unmarshal(inv.Call.Raw, &a); err != nil {
				return tools.Result{}, err
			}
			time.Sleep(time.Duration(a.Ms) * time.Millisecond)
			return tools.Result{Text: fmt.Sprintf("slept %d", a.Ms)}, nil
		}}
		first := script.Turn{}
		var want []string
		for i := range 12 {
			ms := 1200 - 100*i
			first.Calls = append(first.Calls, callOf("slow", fmt.Sprintf(`{"ms":%d}`, ms)))
			want = append(want, fmt.Sprintf("slept %d", ms))
		}
		r := newRig(t, rigOptions{tools: []tools.Tool{slow}, card: Card{ParallelCalls: true}, turns: []script.Turn{first, {Text: "done"}}})
		start := time.Now()
		if out := r.turn(TurnOptions{}, "go"); out.Status != Completed {
			t.Fatalf("%+v", out)
		}
		if took := time.Since(start); took > 2*time.Second || most.Load() != 8 {
			t.Errorf("took %v with at most %d at a time", took, most.Load())
		}
		if got := r.results(); strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("results %q, want %q", got, want)
		}
	})
}

func TestCallsTakeEffectAsIfRunOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		tool := func(name string, readOnly bool, d time.Duration) tools.Tool {
			return fakeTool{tools.Spec{Name: name, ReadOnly: readOnly}, func(context.Context, *tools.Invocation) (tools.Result, error) {
				time.Sleep(d)
				mu.Lock()
				defer mu.Unlock()
				log = append(log, name)
				return tools.Result{Text: name}, nil
			}}
		}
		r := newRig(t, rigOptions{
			tools: []tools.Tool{tool("look", true, 50*time.Millisecond), tool("edit", false, time.Second), tool("test", false, time.Millisecond), tool("read", true, 0)},
			turns: []script.Turn{{Calls: []script.Call{callOf("look"), callOf("edit"), callOf("test"), callOf("read")}}, {Text: "done"}},
		})
		r.turn(TurnOptions{}, "go")
		if got := strings.Join(log, " "); got != "look edit test read" {
			t.Errorf("order %s", got)
		}
	})
}

func TestEveryEndOfACallIsHeardByTheModel(t *testing.T) {
	boom := fakeTool{tools.Spec{Name: "boom"}, func(context.Context, *tools.Invocation) (tools.Result, error) { panic("oh") }}
	empty := fakeTool{tools.Spec{Name: "empty"}, says("")}
	refuse := fakeTool{tools.Spec{Name: "refuse"}, func(context.Context, *tools.Invocation) (tools.Result, error) {
		return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: "the user said no"}
	}}
	r := newRig(t, rigOptions{
		tools: []tools.Tool{boom, empty, refuse},
		turns: []script.Turn{
			{Calls: []script.Call{callOf("boom"), callOf("empty"), callOf("refuse"), callOf("ghost")}},
			{Expect: []string{"defect of companion (oh)", "empty: ok, without output", "the user said no", "there is no tool ghost"}, Text: "I see."},
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed {
		t.Fatalf("%+v", out)
	}
	var got []string
	for _, e := range r.find(session.ToolCompleted) {
		got = append(got, e.End.Name+" "+e.End.Outcome)
	}
	if want := "boom failed,empty ok,refuse denied,ghost failed"; strings.Join(got, ",") != want {
		t.Errorf("outcomes %q, want %q", got, want)
	}
}

func TestACallCanEndTheTurn(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status string
		said   string
	}{
		"broken contract":     {errors.New("the box is on fire"), Failed, "the box is on fire"},
		"stopped by a person": {tools.ErrStopped, Stopped, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bad := fakeTool{tools.Spec{Name: "bad"}, func(context.Context, *tools.Invocation) (tools.Result, error) {
				return tools.Result{Outcome: tools.Denied, Text: "not allowed"}, c.err
			}}
			r := newRig(t, rigOptions{tools: []tools.Tool{bad}, turns: []script.Turn{{Calls: []script.Call{callOf("bad")}}, {Text: "next turn"}}})
			out := r.turn(TurnOptions{}, "go")
			if out.Status != c.status || !strings.Contains(out.Error, c.said) {
				t.Errorf("%+v", out)
			}
			if out := r.turn(TurnOptions{Thread: out.Thread}, "again"); out.Status != Completed {
				t.Errorf("the thread is not usable: %+v", out)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	same := func(n int, c script.Call) []script.Turn {
		var out []script.Turn
		for range n {
			out = append(out, script.Turn{Calls: []script.Call{c}})
		}
		return out
	}
	var pingPong, distinct []script.Turn
	for i := range 20 {
		pingPong = append(pingPong, script.Turn{Calls: []script.Call{callOf("read", fmt.Sprintf(`{"path":"%d"}`, i%2))}})
		distinct = append(distinct, script.Turn{Calls: []script.Call{callOf("read", fmt.Sprintf(`{"path":"%d"}`, i))}})
	}
	cut := make([]script.Turn, 6)
	for i := range cut {
		cut[i] = script.Turn{Cut: true, Calls: []script.Call{{Name: "edit", Arguments: args(fmt.Sprintf(`"{\"path\":\"a%d"`, i))}}}
	}
	unknown := make([]script.Turn, 6)
	for i := range unknown {
		unknown[i] = script.Turn{Calls: []script.Call{callOf("ghost", fmt.Sprintf(`{"n":%d}`, i))}}
	}
	cases := map[string]struct {
		turns    []script.Turn
		maxSteps int
		steps    int
		said     string // in Error
		told     string // to the model before
	}{
		"too many steps":    {turns: distinct, maxSteps: 5, steps: 5, said: "after 5 steps (setting companion.maxSteps)"},
		"same call":         {turns: same(9, callOf("read")), steps: 4, said: "the same call (read) 4 times", told: "the same call (read) 3 times"},
		"round in a circle": {turns: pingPong, steps: 9, said: "7 steps running gave nothing new", told: "The last 6 steps"},
		"unknown tools":     {turns: unknown, steps: 4, said: "unknown tools", told: "tools that do not exist"},
		"cut-off arguments": {turns: cut, steps: 4, said: "cut-off arguments", told: "cut off"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{turns: c.turns, maxSteps: c.maxSteps, tools: []tools.Tool{readTool("text"), editTool("edited")}})
			out := r.turn(TurnOptions{}, "go")
			if out.Status != Limit || out.Steps != c.steps || !strings.Contains(out.Error, c.said) {
				t.Errorf("%+v", out)
			}
			last := r.rec.reqs[len(r.rec.reqs)-1]
			if !strings.Contains(script.Said(last), c.told) {
				t.Errorf("the model was not told %q", c.told)
			}
		})
	}
}

func TestEndsOfAStream(t *testing.T) {
	cases := map[string]struct {
		turns  []script.Turn
		status string
		said   string // in Error
		text   string
	}{
		"empty":            {[]script.Turn{{Empty: true}}, Failed, "script/test answered nothing", ""},
		"refusal":          {[]script.Turn{{Text: "I will not.", Stop: model.StopRefusal, Detail: "policy"}}, Failed, "refused to answer: policy", "I will not."},
		"pause":            {[]script.Turn{{Text: "wait", Stop: model.StopPause}, {Expect: []string{"wait"}, Text: "now"}}, Completed, "", "now"},
		"cut text":         {[]script.Turn{{Text: "half of", Cut: true}}, Limit, "cut off by its output limit", "half of"},
		"error after text": {[]script.Turn{{Text: "half of", Error: &script.Error{Kind: model.ErrStreamCut, Text: "the connection broke"}}}, Failed, "the connection broke", "half of"},
		"error at once":    {[]script.Turn{{Error: &script.Error{Kind: model.ErrAuth, Status: 401, Text: "set OPENAI_API_KEY"}}}, Failed, "script (HTTP 401): set OPENAI_API_KEY", ""},
		"too long":         {[]script.Turn{{Error: &script.Error{Kind: model.ErrContext, Text: "prompt too long"}}}, Failed, "start a new thread", ""},
		"reasoning only":   {[]script.Turn{{Reasoning: "hm"}}, Completed, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{turns: append(c.turns, script.Turn{Expect: []string{"again", c.text}, Text: "fine"})})
			out := r.turn(TurnOptions{}, "go")
			if out.Status != c.status || !strings.Contains(out.Error, c.said) || c.said == "" && out.Error != "" || out.Text != c.text {
				t.Errorf("%+v", out)
			}
			if out := r.turn(TurnOptions{Thread: out.Thread}, "again"); out.Status != Completed || out.Text != "fine" {
				t.Errorf("the thread is not usable: %+v", out)
			}
		})
	}
}

// raw is a provider of given events.
type raw struct {
	steps [][]model.Event
	errs  []error
	n     int
	hook  func(model.Request)
}

func (p *raw) Name() string { return "raw" }

func (p *raw) Stream(_ context.Context, req model.Request) iter.Seq2[model.Event, error] {
	n := p.n
	p.n++
	return func(yield func(model.Event, error) bool) {
		if p.hook != nil {
			p.hook(req)
		}
		if n >= len(p.steps) {
			yield(model.Event{Kind: model.Done, Stop: model.StopEnd}, nil)
			return
		}
		for _, ev := range p.steps[n] {
			if !yield(ev, nil) {
				return
			}
		}
		if n < len(p.errs) && p.errs[n] != nil {
			yield(model.Event{}, p.errs[n])
		}
	}
}

func itemDone(it model.Item) model.Event { return model.Event{Kind: model.ItemDone, Item: &it} }

func TestIdsAreOursWhateverTheProviderSends(t *testing.T) {
	call := func(id, a string) model.Event {
		return itemDone(model.Item{Kind: model.ToolCall, ID: id, CallID: id, Name: "read", Arguments: a})
	}
	done := model.Event{Kind: model.Done, Stop: model.StopTools}
	p := &raw{steps: [][]model.Event{
		{call("x", "{}"), call("x", `{"a":1}`), call("", `{"a":2}`), call("", ""), done},
		{call("x", `{"b":1}`), done},
		{
			{Kind: model.TextDelta, ItemID: "m", Text: "one "},
			{Kind: model.TextDelta, ItemID: "m", Text: "two"},
			itemDone(model.Item{Kind: model.Message, ID: "m", Text: "one two"}),
			{Kind: model.TextDelta, Text: "three"},
			itemDone(model.Item{Kind: model.Message, Text: "three"}),
			{Kind: model.TextDelta, ItemID: "m", Text: "four"},
			itemDone(model.Item{Kind: model.Message, ID: "m", Text: "four"}),
			{Kind: model.Done, Stop: model.StopEnd},
		},
	}}
	r := newRig(t, rigOptions{provider: p, tools: []tools.Tool{readTool("text")}})
	out := r.turn(TurnOptions{}, "go")
	if out.Status != Completed || out.Text != "four" {
		t.Fatalf("%+v", out)
	}
	if got := len(r.find(session.ToolCompleted)); got != 5 {
		t.Errorf("%d calls were run", got)
	}
	texts := map[string]string{}
	for _, e := range r.find(session.MessageDelta) {
		texts[e.ItemID] += e.Text
	}
	for _, e := range r.find(session.MessageCompleted) {
		if texts[e.ItemID] != e.Text {
			t.Errorf("item %s: deltas %q, text %q", e.ItemID, texts[e.ItemID], e.Text)
		}
		delete(texts, e.ItemID)
	}
	if len(texts) > 0 {
		t.Errorf("deltas without a message: %v", texts)
	}
}

func TestAStreamThatBreaksAfterACallKeepsItsResult(t *testing.T) {
	cut := &model.Error{Kind: model.ErrStreamCut, Provider: "raw", Text: "the stream was cut"}
	for name, errs := range map[string][]error{"error": {cut}, "no end": nil} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			edit := fakeTool{tools.Spec{Name: "edit"}, func(context.Context, *tools.Invocation) (tools.Result, error) {
				ran++
				return tools.Result{Text: "edited"}, nil
			}}
			p := &raw{errs: errs, steps: [][]model.Event{{
				itemDone(model.Item{Kind: model.ToolCall, Name: "edit", Arguments: `{}`}),
				itemDone(model.Item{Kind: model.ToolCall, Name: "edit", Arguments: `{"path": "a`}),
				{Kind: model.TextDelta, ItemID: "m", Text: "and th"},
			}, {itemDone(model.Item{Kind: model.Message, Text: "on"}), {Kind: model.Done}}}}
			r := newRig(t, rigOptions{provider: p, tools: []tools.Tool{edit}})
			out := r.turn(TurnOptions{}, "go")
			if out.Status != Failed || out.Error == "" || ran != 1 {
				t.Fatalf("ran %d: %+v", ran, out)
			}
			if out := r.turn(TurnOptions{Thread: out.Thread}, "again"); out.Status != Completed {
				t.Fatalf("%+v", out)
			}
			if got := r.results(); len(got) != 2 || got[0] != "edited" || !strings.Contains(got[1], "broke off") {
				t.Errorf("results %q", got)
			}
		})
	}
}

func TestARetryBeforeAnyItemDropsWhatCame(t *testing.T) {
	p := &raw{steps: [][]model.Event{{
		itemDone(model.Item{Kind: model.Message, Text: "whole"}), {Kind: model.Done, Stop: model.StopEnd},
	}}}
	p.hook = func(req model.Request) {
		req.Options.OnRetry(model.RetryNotice{Try: 1, Wait: 2 * time.Second, Err: errors.New("overloaded")})
	}
	r := newRig(t, rigOptions{provider: p})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed || out.Text != "whole" {
		t.Fatalf("%+v", out)
	}
	if w := r.find(session.Warned); len(w) != 1 || w[0].Code != "retry" || !strings.Contains(w[0].Message, "overloaded; the model is asked again in 2s") {
		t.Errorf("warnings %+v", w)
	}
}

func TestCutOffArguments(t *testing.T) {
	r := newRig(t, rigOptions{
		tools: []tools.Tool{readTool("the text"), editTool("edited")},
		turns: []script.Turn{
			{Cut: true, Calls: []script.Call{callOf("read", `{"path":"a"}`), {Name: "edit", Arguments: args(`"{\"path\":\"a"`)}}},
			{Expect: []string{"the text", "the arguments were cut off"}, Text: "I will be brief."},
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed {
		t.Fatalf("%+v", out)
	}
}

func TestStop(t *testing.T) {
	type stopCase struct {
		run     func(context.Context, *tools.Invocation) (tools.Result, error)
		stall   bool
		outcome string
		said    string
		atMost  time.Duration
	}
	cases := map[string]stopCase{
		"a call that obeys": {run: func(ctx context.Context, _ *tools.Invocation) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}, outcome: "aborted", said: "aborted by user after 5.0 s", atMost: 0},
		"a call that cleans up": {run: func(ctx context.Context, _ *tools.Invocation) (tools.Result, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return tools.Result{Outcome: tools.Aborted, Text: "partial output"}, nil
		}, outcome: "aborted", said: "aborted by user after 6.0 s. partial output", atMost: time.Second},
		"a call that ends well all the same": {run: func(ctx context.Context, _ *tools.Invocation) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{Text: "written"}, nil
		}, outcome: "ok", said: "written", atMost: 0},
		"a call that does not hear": {run: func(_ context.Context, inv *tools.Invocation) (tools.Result, error) {
			time.Sleep(time.Minute)
			inv.Progress.Output("late")
			inv.Notices.Approval(inv, "allowOnce", "user")
			return tools.Result{Text: "much later"}, nil
		}, outcome: "aborted", said: "did not end in time", atMost: tools.Grace},
		"a model that is silent": {stall: true, atMost: 100 * time.Millisecond},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := script.Turn{Text: "working", Calls: []script.Call{callOf("work")}}
				if c.stall {
					first = script.Turn{Text: "half", Stall: true}
				}
				r := newRig(t, rigOptions{
					tools: []tools.Tool{fakeTool{tools.Spec{Name: "work"}, c.run}},
					turns: []script.Turn{first, {Text: "next"}},
				})
				turn := r.newTurn(TurnOptions{}, "go")
				var out Outcome
				ended := make(chan struct{})
				r.agent.calls.Go(func() {
					defer close(ended)
					out = turn.Run(context.Background())
				})
				time.Sleep(5 * time.Second)
				if run := r.agent.Running(); len(run) != 1 || run[0].Turn != turn.ID() {
					t.Errorf("running: %+v", run)
				}
				start := time.Now()
				if err := r.agent.Stop(context.Background(), turn.ThreadID(), turn.ID()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took > c.atMost {
					t.Errorf("Stop took %v, at most %v", took, c.atMost)
				}
				if n := len(r.find(session.TurnCompleted)); n != 1 {
					t.Errorf("%d turn.completed when Stop returned", n)
				}
				<-ended
				if out.Status != Stopped || out.Error != "" {
					t.Errorf("%+v", out)
				}
				if c.run != nil {
					end := r.find(session.ToolCompleted)
					if len(end) != 1 || end[0].End.Outcome != c.outcome || !strings.Contains(end[0].End.Text, c.said) {
						t.Errorf("tool.completed %+v", end[0].End)
					}
				} else if out.Text != "half" {
					t.Errorf("the partial text is lost: %+v", out)
				}
				if err := r.agent.Stop(context.Background(), "", turn.ID()); !errors.Is(err, ErrTurnNotFound) {
					t.Errorf("a second stop: %v", err)
				}
				if out := r.turn(TurnOptions{Thread: turn.ThreadID()}, "again"); out.Status != Completed {
					t.Errorf("the thread is not usable: %+v", out)
				}
				time.Sleep(2 * time.Minute) // what was left behind speaks up
				if r.find(session.ApprovalResolved) != nil || r.find(session.ToolOutput) != nil {
					t.Error("a call that was left behind is still heard")
				}
			})
		})
	}
}

func TestStopBeforeRunAndByContext(t *testing.T) {
	r := newRig(t, rigOptions{turns: []script.Turn{{Text: "never"}}})
	turn := r.newTurn(TurnOptions{}, "go")
	if got := r.agent.StopAll(context.Background()); len(got) != 1 || got[0] != turn.ID() {
		t.Errorf("stopped %v", got)
	}
	if out := turn.Run(context.Background()); out.Status != Stopped || out.Steps != 0 {
		t.Errorf("%+v", out)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out := r.newTurn(TurnOptions{Thread: turn.ThreadID()}, "go").Run(ctx); out.Status != Stopped {
		t.Errorf("%+v", out)
	}
	if err := r.agent.Stop(context.Background(), "", ""); err != nil {
		t.Errorf("nothing to stop: %v", err)
	}
}

// fakeBarrier adds to results and has words at the end of turns.
type fakeBarrier struct {
	add   string
	after []string
	boom  bool
}

func (b *fakeBarrier) AfterStep(_ context.Context, calls []tools.Finished) {
	if b.boom {
		panic("barrier")
	}
	for _, c := range calls {
		c.Result.Text += b.add
		c.Result.Report = &tools.Report{Status: tools.Complete, New: []tools.Diagnostic{{Path: "/proj/a b.go", Severity: 1, Message: "m"}}}
	}
}

func (b *fakeBarrier) AfterTurn(context.Context, string) string {
	if len(b.after) == 0 {
		return ""
	}
	s := b.after[0]
	b.after = b.after[1:]
	return s
}

func TestFeedbackReachesTheModel(t *testing.T) {
	b := &fakeBarrier{add: "\n\n1 new error", after: []string{"late: 1 new error", ""}}
	r := newRig(t, rigOptions{
		barrier: b, tools: []tools.Tool{editTool("edited")},
		turns: []script.Turn{
			{Calls: []script.Call{callOf("edit")}},
			{Expect: []string{"edited\n\n1 new error"}, Text: "done"},
			{Expect: []string{"late: 1 new error"}, Text: "mended"},
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed || out.Text != "mended" {
		t.Fatalf("%+v", out)
	}
	var rep session.DiagReport
	if err := json.Unmarshal(r.find(session.ToolCompleted)[0].End.Report, &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Status != "complete" || len(rep.New) != 1 || !strings.Contains(string(rep.New[0]), `"uri":"file:///proj/a%20b.go"`) {
		t.Errorf("report %+v %s", rep, rep.New)
	}
}

func TestFeedbackAtTheEndIsBounded(t *testing.T) {
	b := &fakeBarrier{after: strings.Split(strings.Repeat("still wrong,", 9), ",")}
	var turns []script.Turn
	for range afterTurnLimit + 1 {
		turns = append(turns, script.Turn{Text: "done"})
	}
	r := newRig(t, rigOptions{barrier: b, turns: turns})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed || out.Steps != afterTurnLimit+1 {
		t.Errorf("%+v", out)
	}
	if w := r.find(session.Warned); len(w) != 1 || w[0].Message != "still wrong" {
		t.Errorf("warnings %+v", w)
	}
}

func TestAPanicInTheBarrierKeepsTheTurn(t *testing.T) {
	r := newRig(t, rigOptions{
		barrier: &fakeBarrier{boom: true}, tools: []tools.Tool{editTool("edited")},
		turns: []script.Turn{{Calls: []script.Call{callOf("edit")}}, {Text: "done"}},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed || len(r.find(session.Warned)) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestAPanicOfAProviderFailsTheTurn(t *testing.T) {
	p := &raw{hook: func(model.Request) { panic("wire") }}
	r := newRig(t, rigOptions{provider: p})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Failed || !strings.Contains(out.Error, "wire") {
		t.Errorf("%+v", out)
	}
}

func TestDeltasUnderAnotherIdGiveNoSecondMessage(t *testing.T) {
	p := &raw{steps: [][]model.Event{{
		{Kind: model.TextDelta, ItemID: "delta", Text: "hello"},
		itemDone(model.Item{Kind: model.Message, ID: "item", Text: "hello"}),
		{Kind: model.Done, Stop: model.StopEnd},
	}, {
		{Kind: model.TextDelta, ItemID: "delta", Text: "no item"}, {Kind: model.Done, Stop: model.StopEnd},
	}}}
	r := newRig(t, rigOptions{provider: p})
	out := r.turn(TurnOptions{}, "go")
	if n := len(r.find(session.MessageCompleted)); n != 1 || out.Text != "hello" {
		t.Errorf("%d messages, %+v", n, out)
	}
	if out := r.turn(TurnOptions{Thread: out.Thread}, "go"); out.Status != Completed || out.Text != "no item" {
		t.Errorf("%+v", out)
	}
}
