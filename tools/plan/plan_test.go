package plan

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"companion/tools"
)

// thread is one thread's plan and mode.
type thread struct {
	steps []Step
	mode  tools.Mode
	moved Moved
	err   error
}

func (f *thread) Plan(string) []Step { return f.steps }

func (f *thread) SetPlan(_, _ string, steps []Step) error {
	f.steps = steps
	return f.err
}

func (f *thread) Mode(string) tools.Mode { return f.mode }

func (f *thread) SetMode(_ context.Context, _ tools.Call, to tools.Mode) (Moved, error) {
	if f.moved.Yes {
		f.mode = to
	}
	return f.moved, f.err
}

// call runs a tool; a refusal is its text and outcome.
func call(t *testing.T, tool tools.Tool, args string) (text string, outcome tools.Outcome) {
	t.Helper()
	action, err := tool.Prepare(context.Background(), tools.Call{Thread: "t", Turn: "u", Args: json.RawMessage(args)})
	var res tools.Result
	if err == nil {
		if len(action.Locks) == 0 || action.Activity == "" {
			t.Errorf("the action is %+v", action)
		}
		res, err = action.Run(context.Background(), nil)
	}
	var refusal *tools.Refusal
	if errors.As(err, &refusal) {
		return refusal.Text, refusal.Outcome
	}
	if err != nil {
		t.Fatal(err)
	}
	return res.Text, res.Outcome
}

func TestAPlanThatMakesNoSenseChangesNothing(t *testing.T) {
	for name, c := range map[string]struct{ args, says string }{
		"empty":          {`{"steps":[]}`, "steps is empty"},
		"no words":       {`{"steps":[{"step":" ","status":"pending"}]}`, "steps[0].step is empty"},
		"a status":       {`{"steps":[{"step":"a","status":"blocked"}]}`, `steps[0].status is "blocked"`},
		"two at a time":  {`{"steps":[{"step":"a","status":"in_progress"},{"step":"b","status":"in_progress"}]}`, "steps[1] is the second step in_progress"},
		"twice the same": {`{"steps":[{"step":"a","status":"pending"},{"step":"b","status":"pending"},{"step":" a ","status":"completed"}]}`, "steps[0] and steps[2] are the same step"},
		"too long":       {`{"steps":[{"step":"` + strings.Repeat("a", 501) + `","status":"pending"}]}`, "has 501 bytes, at most 500"},
		"too many":       {`{"steps":[` + strings.TrimSuffix(many(51), ",") + `]}`, "steps has 51 entries, at most 50"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &thread{steps: []Step{{"read", Completed}, {"mend", InProgress}}}
			text, outcome := call(t, Update(f), c.args)
			if outcome != tools.Failed || !strings.Contains(text, c.says) || !strings.Contains(text, "1. completed: read\n2. in_progress: mend") || len(f.steps) != 2 {
				t.Errorf("%s: %s", outcome, text)
			}
			if text, _ = call(t, Update(&thread{}), c.args); !strings.Contains(text, "There is no plan yet.") {
				t.Errorf("without a plan: %s", text)
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"step":"` + strings.Repeat("x", i+1) + `","status":"pending"},`)
	}
	return b.String()
}

func TestAPlanIsTakenAsItIs(t *testing.T) {
	f := &thread{}
	for _, c := range []struct{ args, says string }{
		{`{"steps":[{"step":"read  the\nparser","status":"In Progress"},{"step":"mend it","status":"todo"}]}`, "0 of 2 steps completed. Step 1 is in progress."},
		{`{"steps":[{"step":"read the parser","status":"done"},{"step":"mend it","status":"pending"}]}`, "1 of 2 steps completed. Step 2 is next."},
		{`{"steps":[{"step":"read the parser","status":"done"},{"step":"mend it","status":"pending"}]}`, "1 of 2 steps completed. Step 2 is next."}, // HB-189: no duplicate
		{`{"steps":[{"step":"mend it","status":"completed"}]}`, "1 of 1 steps completed. Nothing is left to do. 1 steps of the plan before"},
	} {
		if text, outcome := call(t, Update(f), c.args); outcome != tools.OK || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, want %s", outcome, text, c.says)
		}
	}
	if Text(f.steps) != "1. completed: mend it" {
		t.Errorf("the plan is %q", Text(f.steps))
	}
}

func TestTheModeIsMovedOrStays(t *testing.T) {
	for name, c := range map[string]struct {
		moved   Moved
		to      string
		outcome tools.Outcome
		says    string
	}{
		"allowed":            {Moved{Yes: true}, "agent", tools.OK, "The mode is agent from your next step on (it was plan). In it files of the workspace"},
		"allowed with words": {Moved{Yes: true, Feedback: "be quick"}, "edit", tools.OK, "The user says: be quick"},
		"the same":           {Moved{}, "plan", tools.OK, "The mode is plan already. In it nothing is changed"},
		"refused":            {Moved{Feedback: "later"}, "full", tools.Denied, "The mode stays plan: the user refused mode full. Do not ask for it again unless they say so. The user says: later"},
		"nobody":             {Moved{Nobody: true}, "full", tools.Denied, "nobody is there to allow them"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &thread{mode: tools.ModePlan, moved: c.moved}
			text, outcome := call(t, SetMode(f), `{"mode":"`+c.to+`"}`)
			if outcome != c.outcome || !strings.Contains(text, c.says) {
				t.Errorf("%s: %s", outcome, text)
			}
			if text, _ := call(t, GetMode(f), `{}`); !strings.Contains(text, "The mode is "+string(f.mode)+". In it ") {
				t.Errorf("mode_get: %s", text)
			}
		})
	}
}

// In modes ask and plan only read-only tools are there; a sub-agent has no
// person.
func TestTheseToolsAreThereInEveryMode(t *testing.T) {
	f := &thread{}
	for _, tool := range []tools.Tool{Update(f), SetMode(f), GetMode(f)} {
		if !tool.Spec().ReadOnly {
			t.Errorf("%s counts as one that changes files", tool.Spec().Name)
		}
	}
	if !SetMode(f).Spec().AsksUser || !Update(f).Spec().Kept {
		t.Error("mode_set asks the user, and a plan is kept")
	}
}
