package shell

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/tools/shell/proc"
	"companion/tools/shell/sessions"
	"companion/workspace"
)

//go:embed exec_command.md
var execDoc string

// Bounds of waiting (tools.md, exec_command).
const (
	yieldNone = 10 * time.Second
	yieldLow  = 250 * time.Millisecond
	yieldHigh = 30 * time.Second
)

// Size of a terminal until it is resized.
const (
	columns = 120
	lines   = 40
)

type execArgs struct {
	Command         string `json:"command" desc:"The shell line."`
	Workdir         string `json:"workdir,omitempty" desc:"Folder to run it in. Default the working folder."`
	TTY             bool   `json:"tty,omitempty" desc:"Give it a terminal (120 columns, 40 lines): for programs that are talked to (REPLs, debuggers, prompts) or draw a screen. Default false."`
	YieldMs         int    `json:"yield_ms,omitempty" min:"0" desc:"Wait so many milliseconds for its end, 250 to 30,000; then it goes on as a session. Default 10,000."`
	MaxOutputTokens int    `json:"max_output_tokens,omitempty" min:"0" desc:"Most tokens of output in the result, 100 to 18,000; of more, beginning and end are shown. Default 10,000."`
	Login           bool   `json:"login,omitempty" desc:"Let the shell read the profile files of a login. Default false."`
	TimeoutMs       int    `json:"timeout_ms,omitempty" min:"1" max:"86400000" desc:"Kill it after so many milliseconds, 1 to 86,400,000, also as a session. Default never."`
	Justification   string `json:"justification,omitempty" desc:"One sentence for the person who may be asked to allow it. Default none."`
}

type execCommand struct{ *Shell }

// Spec implements tools.Tool.
func (x execCommand) Spec() tools.Spec {
	return tools.Spec{
		Name: "exec_command", Title: "Run a command", Description: strings.TrimSpace(execDoc), Input: schema.Of[execArgs](),
		Destructive: true, OpenWorld: true, SearchHint: "shell bash terminal run build test git script", ResultBudget: resultBudget,
	}
}

// Prepare implements tools.Tool.
func (x execCommand) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[execArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if strings.TrimSpace(a.Command) == "" {
		return tools.Action{}, tools.Fail("The command is empty. Give the shell line to run.")
	}
	if strings.ContainsRune(a.Command, 0) {
		return tools.Action{}, tools.Fail("The command holds a NUL character, which no shell takes.")
	}
	dir, err := x.dir(call, a.Workdir)
	if err != nil {
		return tools.Action{}, err
	}
	if x.patch != nil {
		if action, ok, err := x.asPatch(ctx, call, a.Command, dir.Path); ok || err != nil {
			return action, err
		}
	}
	effects := []tools.Effect{{Kind: tools.Command, Command: a.Command, Shell: proc.Foreign()}}
	if dir.Outside {
		effects = append(effects, files.Effect(tools.Read, dir))
	}
	return tools.Action{
		Effects:  effects,
		Preview:  tools.Preview{Command: a.Command, Cwd: dir.Path, Text: a.Justification},
		Activity: "Running " + firstLine(a.Command),
		Run: func(ctx context.Context, out tools.Progress) (tools.Result, error) {
			return x.run(ctx, call.Thread, a, dir.Path, out)
		},
	}, nil
}

func (x *Shell) dir(call tools.Call, name string) (workspace.File, error) {
	if name == "" {
		name = "."
	}
	f, err := files.Resolve(x.ws, call, name)
	if err != nil {
		return f, err
	}
	info, err := os.Stat(f.Path)
	switch {
	case err != nil:
		return f, tools.Fail(fmt.Sprintf("The folder %s cannot be used: %v.", f.Rel, err))
	case !info.IsDir():
		return f, tools.Fail(fmt.Sprintf("%s is not a folder; workdir must be one.", f.Rel))
	}
	return f, nil
}

func (x *Shell) run(ctx context.Context, thread string, a execArgs, dir string, out tools.Progress) (tools.Result, error) {
	notes := unsavedNote(x.unsaved())
	o := sessions.Options{
		Thread: thread, Command: a.Command, Dir: dir, Env: x.env, Shell: x.shell, Login: a.Login,
		Deadline: time.Duration(a.TimeoutMs) * time.Millisecond, Listen: out.Output,
	}
	if a.TTY {
		o.Cols, o.Rows, o.Env = columns, lines, drawn(x.env)
	}
	s, err := x.store.Start(o)
	if err != nil {
		return tools.Result{}, tools.Fail(fmt.Sprintf("The command could not be started: %v.", err))
	}
	defer s.Listen(nil)
	w := words{s: s, first: true, budget: budget(a.MaxOutputTokens), notes: notes}
	switch waited := s.Wait(ctx, span(a.YieldMs, yieldNone, yieldLow, yieldHigh)); waited {
	case sessions.Stopped:
		s.Stop(sessions.Asked)
		<-s.Done()
		s.Listen(nil)
		return w.aborted(), nil
	case sessions.Yielded, sessions.Secret:
		var gone *sessions.Session
		if w.id, gone = x.store.Keep(s); gone != nil {
			w.notes = append(w.notes, fmt.Sprintf("Session %d (%s) was stopped to make room: a thread has at most %d.",
				x.store.ID(gone), firstLine(gone.Command), sessions.Most))
		}
	}
	s.Listen(nil)
	x.tellChanged(s.Mark())
	if s.Ended() {
		return w.ended(), nil
	}
	return w.running(), nil
}

func unsavedNote(unsaved []string) []string {
	if len(unsaved) == 0 {
		return nil
	}
	return []string{"The command saw the files on disk; unsaved changes in the editor it did not see: " + strings.Join(unsaved, ", ") + "."}
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	const most = 80
	if r := []rune(line); len(r) > most {
		line, rest = string(r[:most]), "…"
	}
	if rest != "" {
		line += " …"
	}
	return line
}
