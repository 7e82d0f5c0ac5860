package permission

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"companion/tools"
	"companion/tools/gate"
	"companion/tools/limit"
)

const root = "/proj"

// judgeOne runs the policy on one effect and tells what it comes to: "allow",
// "ask" or "deny".
func judgeOne(t *testing.T, opt Options, mode tools.Mode, e tools.Effect) (string, string) {
	t.Helper()
	inv := &tools.Invocation{
		Call:   tools.Call{Mode: mode, Roots: []string{root}},
		Spec:   tools.Spec{Name: "tool"},
		Action: tools.Action{Effects: []tools.Effect{e}, Preview: tools.Preview{Cwd: root}},
	}
	err := New(opt).judge(inv)
	var denied *tools.Refusal
	switch r, ok := err.(*tools.Refusal); {
	case ok:
		denied = r
	case err != nil:
		t.Fatal(err)
	}
	switch {
	case denied != nil && denied.Outcome == tools.Denied:
		return "deny", denied.Text
	case inv.Verdict.Allow:
		return "allow", ""
	}
	if len(inv.Verdict.Asks) != 1 || inv.Verdict.Why == "" {
		t.Errorf("asks %v", inv.Verdict.Asks)
	}
	return "ask", inv.Verdict.Why
}

func runs(line string) tools.Effect { return tools.Effect{Kind: tools.Command, Command: line} }

// person answers from a list and remembers what was shown.
type person struct {
	mu      sync.Mutex
	answers []Answer
	shown   []Request
	err     error
	wait    chan struct{} // nil = at once
}

func (p *person) Ask(ctx context.Context, r Request) (Answer, error) {
	p.mu.Lock()
	p.shown = append(p.shown, r)
	n := len(p.shown) - 1
	p.mu.Unlock()
	if p.wait != nil {
		select {
		case <-p.wait:
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
	if p.err != nil {
		return Answer{}, p.err
	}
	if n < len(p.answers) {
		return p.answers[n], nil
	}
	return Answer{}, nil
}

func (p *person) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.shown)
}

// heard is what the editor is told.
type heard struct {
	mu   sync.Mutex
	said []string
}

func (h *heard) say(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, s)
}
func (h *heard) Started(*tools.Invocation) { h.say("started") }
func (h *heard) Asked(*tools.Invocation)   { h.say("asked") }
func (h *heard) Approval(_ *tools.Invocation, decision, by string) {
	h.say(decision + " by " + by)
}

// actor is a tool with the effects and the preview that a test gives.
type actor struct {
	name   string
	action func() tools.Action
}

func (a actor) Spec() tools.Spec { return tools.Spec{Name: a.name} }

func (a actor) Prepare(context.Context, tools.Call) (tools.Action, error) {
	action := a.action()
	action.Run = func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Text: "it ran", Changed: []tools.Change{{Path: root + "/f"}}}, nil
	}
	return action, nil
}

func writer(path, diff string) actor {
	return actor{"edit", func() tools.Action {
		return tools.Action{
			Effects: []tools.Effect{{Kind: tools.Write, Path: path}}, Locks: []tools.Lock{{Resource: path}},
			Activity: "Editing f", Preview: tools.Preview{Diff: diff},
		}
	}}
}

func runner(line string) actor {
	return actor{"exec_command", func() tools.Action {
		return tools.Action{Effects: []tools.Effect{runs(line)}, Preview: tools.Preview{Command: line, Cwd: root}}
	}}
}

// whole is the pipeline as the product composes it.
func whole(asker Asker, opt Options) tools.Handler {
	j := New(opt)
	return tools.Chain(tools.Run, tools.Answer(nil), limit.Stage(""), tools.Lookup(), tools.Validate(), tools.Prepare(),
		j.Policy(), j.Approval(asker), gate.Stage(gate.New()))
}

func call(a actor, mode tools.Mode) (*tools.Invocation, *heard) {
	h := &heard{}
	return &tools.Invocation{
		Box: tools.NewRegistry(a).Box(tools.BoxOptions{}), Notices: h,
		Call: tools.Call{Thread: "t", Turn: "u", ID: "c", Name: a.name, Mode: mode, Roots: []string{root}},
	}, h
}

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
}

func wantSaid(t *testing.T, h *heard, said ...string) {
	t.Helper()
	if !slices.Equal(h.said, said) {
		t.Errorf("the editor heard %v, want %v", h.said, said)
	}
}
