package gate

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"companion/tools"
)

// fake is a tool whose parts a test gives.
type fake struct {
	spec    tools.Spec
	prepare func(ctx context.Context, call tools.Call) (tools.Action, error)
}

func (f fake) Spec() tools.Spec { return f.spec }

func (f fake) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	return f.prepare(ctx, call)
}

// pipeline is the stages around the gate.
func pipeline(locks *Locks) tools.Handler {
	return tools.Chain(tools.Run, tools.Answer(nil), tools.Lookup(), tools.Validate(), tools.Prepare(), Stage(locks))
}

func invoke(box *tools.Box, name, args string) *tools.Invocation {
	return &tools.Invocation{Box: box, Call: tools.Call{Thread: "t", Turn: "u", ID: "c1", Name: name, Raw: json.RawMessage(args)}}
}

func boxOf(all ...tools.Tool) *tools.Box { return tools.NewRegistry(all...).Box(tools.BoxOptions{}) }

func mustRun(t *testing.T, h tools.Handler, inv *tools.Invocation) tools.Result {
	t.Helper()
	res, err := h(context.Background(), inv)
	if err != nil {
		t.Fatalf("the turn ended: %v", err)
	}
	return res
}

// wantText checks outcome and words of a result.
func wantText(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
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
