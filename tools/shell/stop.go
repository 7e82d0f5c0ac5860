package shell

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/schema"
	"companion/tools/shell/sessions"
)

//go:embed stop_session.md
var stopDoc string

type stopArgs struct {
	Session int `json:"session" min:"1" desc:"Number of the session, counted from 1 to the last that was started."`
}

type stopSession struct{ *Shell }

// Spec implements tools.Tool.
func (x stopSession) Spec() tools.Spec {
	return tools.Spec{
		Name: "stop_session", Title: "Stop a running command", Description: strings.TrimSpace(stopDoc), Input: schema.Of[stopArgs](),
		Destructive: true, Finish: true, SearchHint: "kill terminate end server process", ResultBudget: resultBudget,
	}
}

// Prepare implements tools.Tool.
func (x stopSession) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[stopArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	s, err := x.session(call, a.Session)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Locks:    []tools.Lock{{Resource: lock(call, a.Session).Resource + ":stop"}}, // it ends whoever waits for the session
		Activity: fmt.Sprintf("Stopping session %d: %s", a.Session, firstLine(s.Command)),
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			s.Stop(sessions.Asked)
			<-s.Done()
			x.tellChanged(s.Mark())
			return words{s: s, id: a.Session, budget: budget(0), ours: true}.ended(), nil
		},
	}, nil
}
