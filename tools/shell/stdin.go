package shell

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/schema"
	"companion/tools/shell/proc"
	"companion/tools/shell/sessions"
)

//go:embed write_stdin.md
var stdinDoc string

// Bounds of waiting (tools.md, write_stdin).
const (
	typedNone = time.Second // after something was typed
	pollNone  = 5 * time.Second
	pollHigh  = 300 * time.Second
)

// interrupt is ^C.
const interrupt = "\x03"

type size struct {
	Cols int `json:"cols" min:"1" max:"1000" desc:"Columns, 1 to 1,000."`
	Rows int `json:"rows" min:"1" max:"500" desc:"Lines, 1 to 500."`
}

type stdinArgs struct {
	Session         int    `json:"session" min:"1" desc:"Number of the session, counted from 1 to the last that was started."`
	Chars           string `json:"chars,omitempty" desc:"What to type, as it is: end a line with \\n; control keys as \\u0003 (^C), \\u0004 (^D), \\u001b (Escape), \\u001b[A (up). Default none: only wait."`
	YieldMs         int    `json:"yield_ms,omitempty" min:"0" desc:"Wait so many milliseconds for output, 250 to 30,000 with chars (default 1,000), 5,000 to 300,000 without. Default 5,000. An end of the program ends the wait."`
	MaxOutputTokens int    `json:"max_output_tokens,omitempty" min:"0" desc:"Most tokens of output in the result, 100 to 18,000; of more, beginning and end are shown. Default 10,000."`
	Resize          *size  `json:"resize,omitempty" desc:"Give the terminal another size first. Default as it is."`
}

type writeStdin struct{ *Shell }

// Spec implements tools.Tool.
func (x writeStdin) Spec() tools.Spec {
	return tools.Spec{
		Name: "write_stdin", Title: "Talk to a running command", Description: strings.TrimSpace(stdinDoc), Input: schema.Of[stdinArgs](),
		Destructive: true, OpenWorld: true, Polls: true, SearchHint: "poll wait session input terminal REPL keys interrupt", ResultBudget: resultBudget,
	}
}

// Prepare implements tools.Tool.
func (x writeStdin) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[stdinArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	s, err := x.session(call, a.Session)
	if err != nil {
		return tools.Action{}, err
	}
	tty, _, _ := s.Terminal()
	switch {
	case a.Resize != nil && !tty:
		return tools.Action{}, tools.Fail(fmt.Sprintf("Session %d has no terminal to resize. Start the command with tty true.", a.Session))
	case a.Chars != "" && !tty && strings.Trim(a.Chars, interrupt+"\x04") != "":
		return tools.Action{}, tools.Fail(fmt.Sprintf(
			"Session %d has no terminal and its standard input is at its end, so nothing can be typed but \\u0003 (^C). Stop it and start the command again with tty true.", a.Session))
	}
	action := tools.Action{
		Effects:  typed(call, s, a.Session, a.Chars),
		Locks:    []tools.Lock{lock(call, a.Session)},
		Activity: fmt.Sprintf("Waiting for session %d: %s", a.Session, firstLine(s.Command)),
		Run: func(ctx context.Context, out tools.Progress) (tools.Result, error) {
			return x.talk(ctx, s, a, out)
		},
	}
	if a.Chars != "" {
		action.Preview = tools.Preview{Command: a.Chars, Cwd: s.Dir, Text: fmt.Sprintf("Typed into session %d: %s", a.Session, firstLine(s.Command))}
		action.Activity = fmt.Sprintf("Typing into session %d: %s", a.Session, firstLine(s.Command))
	}
	return action, nil
}

// lock is held while a session is talked to.
func lock(call tools.Call, id int) tools.Lock {
	return tools.Lock{Resource: fmt.Sprintf("session:%s:%d", call.Thread, id)}
}

func (x *Shell) talk(ctx context.Context, s *sessions.Session, a stdinArgs, out tools.Progress) (tools.Result, error) {
	begun := time.Now()
	w := words{s: s, id: a.Session, budget: budget(a.MaxOutputTokens), ours: strings.ContainsAny(a.Chars, interrupt+"\x04")}
	s.Listen(out.Output)
	defer s.Listen(nil)
	wait := span(a.YieldMs, pollNone, pollNone, pollHigh)
	if a.Chars != "" || a.Resize != nil {
		wait = span(a.YieldMs, typedNone, yieldLow, yieldHigh)
	}
	if a.Resize != nil && !s.Ended() {
		if err := s.Resize(a.Resize.Cols, a.Resize.Rows); err != nil {
			w.notes = append(w.notes, fmt.Sprintf("The terminal was not resized: %v.", err))
		}
	}
	if a.Chars != "" {
		if note := x.typeInto(s, a.Chars, wait); note != "" {
			w.notes = append(w.notes, note)
		}
	}
	switch s.Wait(ctx, wait) {
	case sessions.Stopped:
		return tools.Result{Outcome: tools.Aborted, Text: fmt.Sprintf(
			"Aborted by the user after %s of waiting. Session %d (%s) was left as it is: running, unless it has ended by itself.",
			seconds(time.Since(begun)), a.Session, firstLine(s.Command))}, nil
	case sessions.Finished:
		s.Listen(nil)
		x.tellChanged(s.Mark())
		res := w.ended()
		if a.Chars != "" && !w.ours && len(w.notes) > 0 {
			res.Outcome = tools.Failed
		}
		return res, nil
	}
	s.Listen(nil)
	x.tellChanged(s.Mark())
	return w.running(), nil
}

// typeInto gives chars to a session; note says what became of them where that
// is not what was asked for.
func (x *Shell) typeInto(s *sessions.Session, chars string, wait time.Duration) (note string) {
	tty, _, _ := s.Terminal()
	if s.Ended() {
		if strings.Trim(chars, interrupt+"\x04") == "" {
			return ""
		}
		return "It had ended before, so nothing was typed."
	}
	if !tty {
		if strings.Contains(chars, interrupt) {
			s.Interrupt()
		}
		return ""
	}
	n, err := s.Write([]byte(chars), time.Now().Add(wait))
	switch {
	case err == nil:
		return ""
	case errors.Is(err, proc.ErrNotRead):
		return fmt.Sprintf("It does not read its input: it took %d of %d bytes; the rest was not typed.", n, len(chars))
	}
	return fmt.Sprintf("Typing failed after %d of %d bytes: %v.", n, len(chars), err)
}
