package shell

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/schema"
	"companion/tools/shell/sessions"
)

//go:embed list_sessions.md
var listDoc string

type listSessions struct{ *Shell }

// Spec implements tools.Tool.
func (x listSessions) Spec() tools.Spec {
	return tools.Spec{
		Name: "list_sessions", Title: "List running commands", Description: strings.TrimSpace(listDoc), Input: schema.Of[struct{}](),
		ReadOnly: true, Polls: true, SearchHint: "background processes jobs terminals servers",
	}
}

// Prepare implements tools.Tool.
func (x listSessions) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	return tools.Action{
		Activity: "Looking at sessions",
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			list := x.store.List(call.Thread)
			if len(list) == 0 {
				return tools.Result{Outcome: tools.OK, Text: "This thread has no sessions."}, nil
			}
			var b strings.Builder
			for _, s := range list {
				b.WriteString(x.line(s, time.Now()) + "\n")
			}
			return tools.Result{Outcome: tools.OK, Text: b.String()}, nil
		},
	}, nil
}

// line tells of one session: number, state, age, last output, terminal, folder,
// command.
func (x *Shell) line(s *sessions.Session, now time.Time) string {
	state := "running for " + seconds(now.Sub(s.Begun))
	if s.Ended() {
		end := s.End()
		state = fmt.Sprintf("ended %s ago, %s", seconds(now.Sub(end.At)), status(end))
		if end.Why != "" {
			state += " (" + map[sessions.Why]string{
				sessions.Deadline: "its timeout_ms was over", sessions.Asked: "stopped", sessions.Closed: "closed", sessions.Room: "to make room",
			}[end.Why] + ")"
		}
	} else if s.Hidden() {
		state += ", asks for a password or the like"
	}
	last := "no output"
	if at := s.Output().Last(); !at.IsZero() {
		last = fmt.Sprintf("%d bytes of output, the last %s ago", s.Output().Total(), seconds(now.Sub(at)))
		if s.Unread() {
			last += ", not all of it read"
		}
	}
	with := "pipes"
	if has, cols, rows := s.Terminal(); has {
		with = fmt.Sprintf("terminal of %d columns, %d lines", cols, rows)
	}
	return fmt.Sprintf("session %d: %s; %s; %s; in %s: %s", x.store.ID(s), state, last, with, s.Dir, firstLine(s.Command))
}
