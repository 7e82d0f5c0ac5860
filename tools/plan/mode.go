package plan

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/schema"
)

// Modes keeps the mode of each thread.
type Modes interface {
	Mode(thread string) tools.Mode
	// SetMode moves a thread to another mode; a person is asked before it gets
	// more rights. An error ends the turn.
	SetMode(ctx context.Context, call tools.Call, to tools.Mode) (Moved, error)
}

// Moved is what came of SetMode.
type Moved struct {
	Yes      bool
	Nobody   bool // more rights were wanted, and there is no person to ask
	Feedback string
}

//go:embed mode_set.md
var setDoc string

//go:embed mode_get.md
var getDoc string

type setArgs struct {
	Mode string `json:"mode" enum:"ask|plan|edit|agent|full" desc:"The mode to be in, from your next step on."`
}

type set struct{ modes Modes }

// SetMode is the tool mode_set.
func SetMode(m Modes) tools.Tool { return set{m} }

func (set) Spec() tools.Spec {
	return tools.Spec{
		Name: "mode_set", Title: "Change the mode", Description: strings.TrimSpace(setDoc), Input: schema.Of[setArgs](),
		ReadOnly: true, AsksUser: true, AlwaysShown: true, SearchHint: "more rights, leave plan mode, start to edit, read only",
	}
}

func (t set) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[setArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	to := tools.Mode(args.Mode)
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "user"}},
		Activity: "Changing to mode " + args.Mode,
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			from := t.modes.Mode(call.Thread)
			if from == to {
				return tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("The mode is %s already. %s", to, rights(to))}, nil
			}
			m, err := t.modes.SetMode(ctx, call, to)
			switch {
			case err != nil:
				return tools.Result{}, err
			case m.Nobody:
				return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf(
					"The mode stays %s: %s has more rights, and nobody is there to allow them. Do what %s allows, and say in your answer what is left.", from, to, from)}
			case !m.Yes:
				text := fmt.Sprintf("The mode stays %s: the user refused mode %s. Do not ask for it again unless they say so.", from, to)
				if m.Feedback != "" {
					text += " The user says: " + m.Feedback
				}
				return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: text}
			}
			text := fmt.Sprintf("The mode is %s from your next step on (it was %s). %s", to, from, rights(to))
			if m.Feedback != "" {
				text += " The user says: " + m.Feedback
			}
			return tools.Result{Outcome: tools.OK, Text: text}, nil
		},
	}, nil
}

// rights says what a mode allows.
func rights(m tools.Mode) string {
	switch m {
	case tools.ModeAsk, tools.ModePlan:
		return "In it nothing is changed and no command run."
	case tools.ModeEdit:
		return "In it the user sees and allows each change."
	case tools.ModeAgent:
		return "In it files of the workspace are changed without asking; commands run by rule, or after the user allows them."
	case tools.ModeFull:
		return "In it whatever no rule denies is allowed."
	}
	return ""
}

type get struct{ modes Modes }

// GetMode is the tool mode_get.
func GetMode(m Modes) tools.Tool { return get{m} }

func (get) Spec() tools.Spec {
	return tools.Spec{
		Name: "mode_get", Title: "The mode", Description: strings.TrimSpace(getDoc), Input: schema.Of[struct{}](), ReadOnly: true,
		SearchHint: "what may be done, rights, permissions of this thread",
	}
}

func (t get) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "plan", Shared: true}},
		Activity: "Looking at the mode",
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			m := t.modes.Mode(call.Thread)
			return tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("The mode is %s. %s", m, rights(m))}, nil
		},
	}, nil
}
