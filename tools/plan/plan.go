package plan

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"companion/tools"
	"companion/tools/schema"
)

// Bounds of a plan.
const (
	mostSteps = 50
	stepBytes = 500
)

// Step is one step of a plan.
type Step struct {
	Step   string
	Status string // one of the three below
}

// Statuses of a step.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
)

// Plans keeps the plan of each thread.
type Plans interface {
	// Plan is the thread's plan, nil = there is none.
	Plan(thread string) []Step
	// SetPlan puts another in its place and tells it. The error says that the
	// thread is gone.
	SetPlan(thread, turn string, steps []Step) error
}

//go:embed update_plan.md
var updateDoc string

type updateArgs struct {
	Steps []stepArgs `json:"steps" min:"1" max:"50" desc:"The whole plan in order, 1 to 50 steps, those that are done too."`
}

type stepArgs struct {
	Step   string `json:"step" desc:"What is done, in one short sentence of at most 500 bytes."`
	Status string `json:"status" desc:"pending, in_progress (of one step at most) or completed."`
}

type update struct{ plans Plans }

// Update is the tool update_plan.
func Update(p Plans) tools.Tool { return update{p} }

func (update) Spec() tools.Spec {
	return tools.Spec{
		Name: "update_plan", Title: "Update the plan", Description: strings.TrimSpace(updateDoc), Input: schema.Of[updateArgs](),
		ReadOnly: true, Kept: true, AlwaysShown: true,
		SearchHint: "todo list, tasks, steps, progress, checklist",
	}
}

func (t update) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[updateArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	steps, wrong := read(args.Steps)
	if wrong != "" {
		return tools.Action{}, tools.Fail(wrong + " The plan was not changed. " + current(t.plans.Plan(call.Thread)))
	}
	done := count(steps, Completed)
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "plan"}},
		Activity: fmt.Sprintf("Plan: %d of %d steps done", done, len(steps)),
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			before := t.plans.Plan(call.Thread)
			if err := t.plans.SetPlan(call.Thread, call.Turn, steps); err != nil {
				return tools.Result{}, err
			}
			return tools.Result{Outcome: tools.OK, Text: said(before, steps), Display: Text(steps)}, nil
		},
	}, nil
}

// read checks what a model wrote; wrong says what cannot be taken.
func read(list []stepArgs) (steps []Step, wrong string) {
	busy := 0
	for i, s := range list {
		text := strings.Join(strings.Fields(s.Step), " ")
		status, known := statusOf(s.Status)
		switch {
		case text == "":
			return nil, fmt.Sprintf("steps[%d].step is empty: say what is done in it.", i)
		case len(text) > stepBytes:
			return nil, fmt.Sprintf("steps[%d].step has %d bytes, at most %d are taken: one short sentence.", i, len(text), stepBytes)
		case !known:
			return nil, fmt.Sprintf("steps[%d].status is %q: it is pending, in_progress or completed.", i, s.Status)
		}
		if j := slices.IndexFunc(steps, func(x Step) bool { return x.Step == text }); j >= 0 {
			return nil, fmt.Sprintf("steps[%d] and steps[%d] are the same step: %q.", j, i, text)
		}
		if status == InProgress {
			if busy++; busy > 1 {
				return nil, fmt.Sprintf("steps[%d] is the second step in_progress: one is done at a time.", i)
			}
		}
		steps = append(steps, Step{text, status})
	}
	switch {
	case len(steps) == 0:
		return nil, "steps is empty: send the whole plan."
	case len(steps) > mostSteps:
		return nil, fmt.Sprintf("steps has %d entries, at most %d are taken: join some.", len(steps), mostSteps)
	}
	return steps, ""
}

// statusOf takes the usual other words for a status too.
func statusOf(s string) (status string, known bool) {
	switch strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s))) {
	case "", "pending", "todo", "open", "not_started":
		return Pending, true
	case "in_progress", "doing", "active", "started":
		return InProgress, true
	case "completed", "complete", "done", "finished":
		return Completed, true
	}
	return "", false
}

// said is what the model hears; the list itself stands in its call.
func said(before, now []Step) string {
	text := fmt.Sprintf("The plan: %d of %d steps completed.", count(now, Completed), len(now))
	next := slices.IndexFunc(now, func(s Step) bool { return s.Status == InProgress })
	if next < 0 {
		next = slices.IndexFunc(now, func(s Step) bool { return s.Status == Pending })
	}
	switch {
	case next < 0:
		text += " Nothing is left to do."
	case now[next].Status == InProgress:
		text += fmt.Sprintf(" Step %d is in progress.", next+1)
	default:
		text += fmt.Sprintf(" Step %d is next.", next+1)
	}
	gone := 0
	for _, s := range before {
		if !slices.ContainsFunc(now, func(x Step) bool { return x.Step == s.Step }) {
			gone++
		}
	}
	if gone > 0 {
		text += fmt.Sprintf(" %d steps of the plan before are not in it any more.", gone)
	}
	return text
}

// current is the whole plan as it is, for a model that may have lost it.
func current(steps []Step) string {
	if len(steps) == 0 {
		return "There is no plan yet."
	}
	return "It is:\n" + Text(steps)
}

// Text is a plan, a line for each step: "1. completed: read the parser".
func Text(steps []Step) string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = fmt.Sprintf("%d. %s: %s", i+1, s.Status, s.Step)
	}
	return strings.Join(lines, "\n")
}

func count(steps []Step, status string) (n int) {
	for _, s := range steps {
		if s.Status == status {
			n++
		}
	}
	return n
}
