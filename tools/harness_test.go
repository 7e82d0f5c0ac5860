package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// fake is a tool whose parts a test gives.
type fake struct {
	spec    Spec
	prepare func(ctx context.Context, call Call) (Action, error)
}

func (f fake) Spec() Spec { return f.spec }

func (f fake) Prepare(ctx context.Context, call Call) (Action, error) {
	if f.prepare == nil {
		return Action{Run: func(context.Context, Progress) (Result, error) {
			return Result{Outcome: OK, Text: "ran with " + string(call.Args)}, nil
		}}, nil
	}
	return f.prepare(ctx, call)
}

func named(name string) fake { return fake{spec: Spec{Name: name}} }

// pipeline is the stages of this package.
func pipeline() Handler {
	return Chain(Run, Answer(nil), Lookup(), Validate(), Prepare())
}

func invoke(box *Box, name, args string) *Invocation {
	return &Invocation{Box: box, Call: Call{Thread: "t", Turn: "u", ID: "c1", Name: name, Raw: json.RawMessage(args)}}
}

func boxOf(tools ...Tool) *Box { return NewRegistry(tools...).Box(BoxOptions{}) }

func mustRun(t *testing.T, h Handler, inv *Invocation) Result {
	t.Helper()
	res, err := h(context.Background(), inv)
	if err != nil {
		t.Fatalf("the turn ended: %v", err)
	}
	if strings.TrimSpace(res.Text) == "" {
		t.Error("the result has no text")
	}
	return res
}

// wantText checks outcome and words of a result.
func wantText(t *testing.T, res Result, outcome Outcome, parts ...string) {
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

// notices counts what it hears.
type notices struct {
	started   int
	decisions []string
}

func (n *notices) Started(*Invocation) { n.started++ }
func (n *notices) Approval(_ *Invocation, decision, by string) {
	n.decisions = append(n.decisions, decision+" by "+by)
}
