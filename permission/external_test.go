package permission

import (
	"context"
	"testing"

	"companion/tools"
)

func TestAnExternalToolIsAskedForAsItsOwnerMay(t *testing.T) {
	deny := Rules{{Tool: "ed.*", Action: Deny}}
	allow := Rules{{Effect: tools.External, Pattern: "ed.*", Action: Allow}}
	ask := Rules{{Effect: tools.External, Pattern: "ed.*", Action: Ask}}
	for _, c := range []struct {
		name   string
		asking tools.Asking
		rules  Rules
		mode   tools.Mode
		want   string
	}{
		{"by rules", tools.AskByRule, nil, tools.ModeAgent, "ask"},
		{"allowed by a rule", tools.AskByRule, allow, tools.ModeAgent, "allow"},
		{"full", tools.AskByRule, nil, tools.ModeFull, "allow"},
		{"never", tools.AskNever, nil, tools.ModeAgent, "allow"},
		{"never, but a rule asks", tools.AskNever, ask, tools.ModeAgent, "ask"},
		{"never, but a rule denies", tools.AskNever, Rules{{Effect: tools.External, Pattern: "ed.*", Action: Deny}}, tools.ModeAgent, "deny"},
		{"always", tools.AskAlways, nil, tools.ModeAgent, "ask"},
		{"always, whatever a rule allows", tools.AskAlways, allow, tools.ModeAgent, "ask"},
		{"always, in mode full", tools.AskAlways, nil, tools.ModeFull, "ask"},
		{"always, but a rule denies", tools.AskAlways, append(allow, Rule{Effect: tools.External, Pattern: "*", Action: Deny}), tools.ModeFull, "deny"},
		{"a rule for another tool", tools.AskByRule, deny, tools.ModeAgent, "ask"},
	} {
		e := tools.Effect{Kind: tools.External, Tool: "ed.run", Key: "h1", Asking: c.asking}
		if got, why := judgeOne(t, Options{Rules: c.rules}, c.mode, e); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
	}
}

func TestAYesForTheThreadCoversOneDefinitionOfATool(t *testing.T) {
	p := &person{answers: []Answer{{OptionID: "thread"}, {OptionID: "thread"}, {OptionID: "once"}, {OptionID: "once"}}}
	stage := tools.Chain(func(context.Context, *tools.Invocation) (tools.Result, error) {
		return tools.Result{Outcome: tools.OK}, nil
	},
		Policy(Options{}), Approval(p))
	call := func(hash string, asking tools.Asking) {
		t.Helper()
		inv := &tools.Invocation{
			Call: tools.Call{Thread: "t"}, Spec: tools.Spec{Name: "run", Namespace: "ed"},
			Action: tools.Action{Effects: []tools.Effect{{Kind: tools.External, Tool: "ed.run", Key: hash, Asking: asking}}},
		}
		if res, err := stage(context.Background(), inv); err != nil || res.Outcome != tools.OK {
			t.Fatalf("%v, %v", res, err)
		}
	}
	call("h1", "")
	call("h1", "")
	if p.asked() != 1 {
		t.Errorf("asked %d times for one definition", p.asked())
	}
	call("h2", "")
	if p.asked() != 2 {
		t.Errorf("asked %d times, the definition changed once", p.asked())
	}
	call("h1", tools.AskAlways)
	call("h1", tools.AskAlways)
	if p.asked() != 4 {
		t.Errorf("asked %d times, a tool wants to be asked for each time", p.asked())
	}
	for _, o := range p.shown[3].Options {
		if o.Kind == AllowThread {
			t.Error("a yes for the thread is offered, which would hold for nothing")
		}
	}
}
