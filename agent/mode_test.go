package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/consent"
	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
	"companion/tools/router"
)

// person answers questions about modes.
type person struct {
	yes   bool
	err   error
	asked []consent.Question
}

func (p *person) allow(_ context.Context, q consent.Question) (consent.Reply, error) {
	p.asked = append(p.asked, q)
	return consent.Reply{Yes: p.yes}, p.err
}

func TestMoreRightsAreAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		from, to tools.Mode
		person   person
		status   string
		asked    bool
		events   string
		calls    string
	}{
		"allowed":    {tools.ModeAsk, tools.ModeAgent, person{yes: true}, Completed, true, "turn.started ask, approval.requested, approval.resolved allowOnce, mode.changed agent", "ok"},
		"refused":    {tools.ModeAsk, tools.ModeAgent, person{}, Completed, true, "turn.started ask, approval.requested, approval.resolved rejectOnce, warning", "blocked"},
		"stopped":    {tools.ModeAsk, tools.ModeFull, person{err: tools.ErrStopped}, Stopped, true, "turn.started ask, approval.requested, approval.resolved stop", ""},
		"fewer":      {tools.ModeFull, tools.ModeAsk, person{}, Completed, false, "turn.started ask, mode.changed ask", "blocked"},
		"the same":   {tools.ModeAgent, tools.ModeAgent, person{}, Completed, false, "turn.started agent", "ok"},
		"not said":   {tools.ModeAsk, "", person{}, Completed, false, "turn.started ask", "blocked"},
		"as few":     {tools.ModeAsk, tools.ModePlan, person{}, Completed, false, "turn.started plan, mode.changed plan", "blocked"},
		"edit→agent": {tools.ModeEdit, tools.ModeAgent, person{yes: true}, Completed, true, "turn.started edit, approval.requested, approval.resolved allowOnce, mode.changed agent", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{
				tools: []tools.Tool{editTool("edited")}, more: func(o *Options) { o.Ask = c.person.allow },
				turns: []script.Turn{{Text: "first"}, {Calls: []script.Call{callOf("edit")}}, {Text: "x"}},
			})
			first := r.turn(TurnOptions{Mode: c.from}, "look")
			r.mu.Lock()
			r.events, r.rec.reqs = nil, nil
			r.mu.Unlock()
			out := r.turn(TurnOptions{Thread: first.Thread, Mode: c.to}, "do")
			if out.Status != c.status || (len(c.person.asked) == 1) != c.asked {
				t.Errorf("asked %+v, ended %+v", c.person.asked, out)
			}
			var got []string
			outcome := ""
			for _, e := range r.seen() {
				switch e.Type {
				case session.TurnStarted, session.ModeChanged:
					got = append(got, string(e.Type)+" "+e.Mode)
				case session.ApprovalRequested, session.Warned:
					got = append(got, string(e.Type))
				case session.ApprovalResolved:
					got = append(got, string(e.Type)+" "+e.Decision)
				case session.ToolCompleted:
					outcome = e.End.Outcome
				}
			}
			if strings.Join(got, ", ") != c.events || outcome != c.calls {
				t.Errorf("%s with a call that was %s", strings.Join(got, ", "), outcome)
			}
			r.mu.Lock()
			r.events = nil // they began with the first turn
			r.mu.Unlock()
		})
	}
}

func TestThePersonsOwnChoiceOfAModeIsTheirYesButForFull(t *testing.T) {
	for to, asked := range map[tools.Mode]int{tools.ModeEdit: 0, tools.ModeAgent: 0, tools.ModeFull: 1} {
		t.Run(string(to), func(t *testing.T) {
			p := person{}
			r := newRig(t, rigOptions{
				more:  func(o *Options) { o.Ask = p.allow },
				turns: []script.Turn{{Text: "first"}, {Text: "x"}},
			})
			first := r.turn(TurnOptions{Mode: tools.ModeAsk}, "look")
			r.turn(TurnOptions{Thread: first.Thread, Mode: to, ByUser: true}, "do")
			if len(p.asked) != asked {
				t.Errorf("asked %+v", p.asked)
			}
			if e := r.find(session.ModeChanged); len(e) != 1-asked || asked == 0 && e[0].Mode != string(to) {
				t.Errorf("mode.changed %+v", e)
			}
		})
	}
}

func TestSetModeHoldsFromTheNextStepAndAfterAResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &person{}
		o := rigOptions{
			dir: t.TempDir(), tools: []tools.Tool{waitTool("wait", 10*time.Second), editTool("edited")},
			more:  func(o *Options) { o.Ask = p.allow },
			turns: []script.Turn{{Calls: []script.Call{callOf("wait")}}, {Calls: []script.Call{callOf("edit")}}, {Text: "x"}},
		}
		r := newRig(t, o)
		turn := r.newTurn(TurnOptions{}, "go")
		out := r.background(turn)
		time.Sleep(time.Second)
		if err := r.agent.SetMode(context.Background(), turn.ThreadID(), tools.ModeAsk); err != nil {
			t.Error(err)
		}
		<-out
		var outcomes []string
		for _, e := range r.find(session.ToolCompleted) {
			outcomes = append(outcomes, e.End.Outcome)
		}
		if got := strings.Join(outcomes, " "); got != "ok blocked" {
			t.Errorf("outcomes %s", got)
		}
		if err := r.agent.SetMode(context.Background(), turn.ThreadID(), tools.ModeFull); !errors.Is(err, ErrMode) || len(p.asked) != 1 {
			t.Errorf("refused: %v, asked %v", err, p.asked)
		}
		for mode, want := range map[tools.Mode]error{"root": ErrInput, tools.ModeAsk: nil} {
			if err := r.agent.SetMode(context.Background(), turn.ThreadID(), mode); !errors.Is(err, want) {
				t.Errorf("%s: %v", mode, err)
			}
		}
		if e := r.find(session.ModeChanged); len(e) != 1 || e[0].Mode != "ask" {
			t.Errorf("mode.changed %+v", e)
		}
		if err := r.agent.Close(context.Background()); err != nil {
			t.Error(err)
		}
		o.turns = []script.Turn{{Text: "x"}}
		r2 := newRig(t, o)
		r2.turn(TurnOptions{Thread: turn.ThreadID()}, "on")
		if e := r2.find(session.TurnStarted); e[0].Mode != "ask" {
			t.Errorf("resumed in %s", e[0].Mode)
		}
		r2.events = nil // seq goes on from the first process
	})
}

// shown is a context provider of the editor's active file.
type shown struct{}

func (shown) Name() string { return "editor" }

func (shown) Section(_ context.Context, t ThreadView) (string, error) { return t.Editor.Active, nil }

func TestTheEditorIsToldToTheModel(t *testing.T) {
	r := newRig(t, rigOptions{context: []ContextProvider{shown{}}, turns: []script.Turn{{Text: "1"}, {Text: "2"}, {Text: "3"}}})
	out := r.turn(TurnOptions{Editor: &EditorState{Active: "/a"}}, "x")
	r.agent.SetEditor(EditorState{Active: "/b"})
	r.turn(TurnOptions{Thread: out.Thread, Editor: &EditorState{Active: "/c"}}, "x")
	r.turn(TurnOptions{Thread: out.Thread}, "x")
	var got []string
	for _, it := range r.rec.reqs[2].Items {
		if it.Role == model.Developer {
			got = append(got, strings.Split(it.Text, "\n")[1])
		}
	}
	if want := "/a /c /b"; strings.Join(got, " ") != want {
		t.Errorf("told %v, want %s", got, want)
	}
}

// previewTool shows what it would do.
type previewTool struct{ fakeTool }

func previewing(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
	tool, _ := inv.Box.Find(inv.Call.Name)
	inv.Tool, inv.Spec = tool, tool.Spec()
	inv.Action.Preview = tools.Preview{Diff: "+a"}
	inv.Notices.Started(inv)
	inv.Notices.(tools.Asked).Asked(inv)
	inv.Action.Preview = tools.Preview{Command: "rm b"}
	inv.Notices.(tools.Asked).Asked(inv)
	return tool.(previewTool).run(ctx, inv)
}

// records keeps what a Recorder is given.
type records struct {
	mu  sync.Mutex
	got []string
	err error
}

func (r *records) Record(thread, turn, call string, changed []tools.Change) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, fmt.Sprintf("%v %v %s %d", thread != "", turn != "", call, len(changed)))
	return r.err
}

func TestPreviewsAndChangesAreTold(t *testing.T) {
	for name, err := range map[string]error{"kept": nil, "not kept": errors.New("no disk")} {
		t.Run(name, func(t *testing.T) {
			rec := &records{err: err}
			edit := previewTool{fakeTool{tools.Spec{Name: "edit"}, func(context.Context, *tools.Invocation) (tools.Result, error) {
				return tools.Result{Text: "edited", Changed: []tools.Change{{Path: "/w/b", From: "/w/a"}, {Path: "/w/b"}}}, nil
			}}}
			r := newRig(t, rigOptions{
				tools: []tools.Tool{edit}, pipeline: previewing, more: func(o *Options) { o.Recorder = rec },
				turns: []script.Turn{{Calls: []script.Call{callOf("edit")}}, {Text: "x"}},
			})
			r.turn(TurnOptions{}, "go")
			if p := r.find(session.ToolPreview); len(p) != 2 || p[0].Diff != "+a" || p[1].Text != "rm b" || p[0].CallID != "c1" {
				t.Errorf("previews %+v", p)
			}
			if got := strings.Join(rec.got, ","); got != "true true c1 2" {
				t.Errorf("recorded %s", got)
			}
			e := r.find(session.ChangesUpdated)
			if err == nil && (len(e) != 1 || strings.Join(e[0].Files, " ") != "/w/a /w/b") {
				t.Errorf("changes.updated %+v", e)
			}
			if w := r.find(session.Warned); err != nil && (len(e) != 0 || len(w) != 1 || !strings.Contains(w[0].Message, "no disk")) {
				t.Errorf("changes.updated %+v, warnings %+v", e, w)
			}
		})
	}
}

func TestWhatACallThatWasLeftBehindChangedIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := &records{}
		slow := fakeTool{tools.Spec{Name: "slow"}, func(context.Context, *tools.Invocation) (tools.Result, error) {
			time.Sleep(time.Minute)
			return tools.Result{Text: "late", Changed: []tools.Change{{Path: "/w/a"}}}, nil
		}}
		r := newRig(t, rigOptions{tools: []tools.Tool{slow}, more: func(o *Options) { o.Recorder = rec }, turns: []script.Turn{{Calls: []script.Call{callOf("slow")}}}})
		out := r.background(r.newTurn(TurnOptions{}, "go"))
		time.Sleep(time.Second)
		r.agent.StopAll(context.Background())
		<-out
		time.Sleep(2 * time.Minute)
		rec.mu.Lock()
		defer rec.mu.Unlock()
		if len(rec.got) != 1 || r.find(session.ChangesUpdated) != nil {
			t.Errorf("recorded %v", rec.got)
		}
	})
}

func TestToolsOfTheEditorComeAndGoBetweenSteps(t *testing.T) {
	withheld := map[string]bool{}
	reg := tools.NewRegistry(readTool("text"))
	extra := func(name string, then func()) tools.Tool {
		return fakeTool{tools.Spec{Name: name, Namespace: "ed", Source: tools.Dynamic, Owner: "vs", Input: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *tools.Invocation) (tools.Result, error) {
			then()
			return tools.Result{Text: name + " ran"}, nil
		}}
	}
	var steps []func()
	step := fakeTool{tools.Spec{Name: "step", ReadOnly: true}, func(context.Context, *tools.Invocation) (tools.Result, error) {
		next := steps[0]
		steps = steps[1:]
		next()
		return tools.Result{Text: fmt.Sprint("stepped, left ", len(steps))}, nil
	}}
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	must(reg.Add(step))
	steps = []func(){
		func() { must(reg.Add(extra("b", func() {}))) },
		func() { must(reg.Add(extra("a", func() {}))) },
		func() { withheld["ed.b"] = true; reg.Touch() },
		func() { reg.Remove("ed.a") },
	}
	ask := script.Call{Name: "step"}
	in := func(name string) script.Call { return script.Call{Name: name, Namespace: "ed"} }
	r := newRig(t, rigOptions{
		turns: []script.Turn{
			{Calls: []script.Call{ask}},
			{Calls: []script.Call{in("b")}},
			{Calls: []script.Call{ask}},
			{Calls: []script.Call{ask}},
			{Calls: []script.Call{in("b"), in("a")}},
			{Calls: []script.Call{ask}},
			{Calls: []script.Call{in("a")}},
			{Text: "x"},
		},
		more: func(o *Options) {
			o.Registry = reg
			o.Scene = func(string) router.Scene {
				return router.Scene{Off: func(s tools.Spec) string {
					if withheld[s.Full()] {
						return "the person switched it off"
					}
					return ""
				}}
			}
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed {
		t.Fatalf("%+v", out)
	}
	var lists []string
	for n := range r.rec.reqs {
		if l := r.listed(n); len(lists) == 0 || lists[len(lists)-1] != l {
			lists = append(lists, l)
		}
	}
	if got := strings.Join(lists, ", "); got != "read step, read step b, read step b a" {
		t.Errorf("the lists were %s", got)
	}
	var ends []string
	for _, e := range r.find(session.ToolCompleted) {
		if e.End.Name != "step" {
			ends = append(ends, e.End.Name+" "+e.End.Outcome)
		}
	}
	if got := strings.Join(ends, ", "); got != "b ok, b blocked, a ok, a failed" {
		t.Errorf("calls ended %s", got)
	}
}

func TestAThreadWithoutAModeTakesThatOfTheSettings(t *testing.T) {
	for set, want := range map[tools.Mode]string{tools.ModePlan: "plan", "": "agent"} {
		r := newRig(t, rigOptions{turns: []script.Turn{{Text: "x"}}, more: func(o *Options) { o.Mode = func() tools.Mode { return set } }})
		r.turn(TurnOptions{}, "go")
		if e := r.find(session.TurnStarted); e[0].Mode != want {
			t.Errorf("set %q: %s", set, e[0].Mode)
		}
	}
}
