package agent

import (
	"context"
	"strings"
	"testing"

	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

// growing shows how much of a call has come.
type growing struct{ preparedTool }

func (growing) Preview() func(string) string {
	all := ""
	return func(more string) string {
		all += more
		if !strings.HasSuffix(more, "\n") {
			return ""
		}
		return "so far " + all
	}
}

func TestACallIsShownWhileItIsWritten(t *testing.T) {
	tool := growing{preparedTool{tools.Spec{Name: "draw", Form: tools.Freeform}, func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Text: "drawn"}, nil
	}}}
	r := newRig(t, rigOptions{
		pipeline: realPipeline(t), tools: []tools.Tool{tool},
		turns: []script.Turn{
			{Calls: []script.Call{{Name: "draw", Arguments: args(`"a\nb\nc"`)}}},
			{Expect: []string{"drawn"}, Text: "done"},
		},
	})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed {
		t.Fatalf("%+v", out)
	}
	shown, started := r.find(session.ToolPreview), r.find(session.ToolStarted)
	if len(started) != 1 || len(shown) != 3 {
		t.Fatalf("%+v, %+v", shown, started)
	}
	for i, want := range []string{"so far a\n", "so far a\nb\n", ""} {
		e := shown[i]
		if e.CallID != started[0].CallID || e.ItemID != started[0].ItemID || e.Text != want {
			t.Errorf("%+v, want %q for %+v", e, want, started[0])
		}
	}
}
