package shell

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed exec_command.md
var doc string

// Deadline of a command that names none.
const defaultDeadline = 2 * time.Minute

type args struct {
	Command       string `json:"command" desc:"The shell line."`
	Workdir       string `json:"workdir,omitempty" desc:"Folder to run it in. Default the working folder."`
	TimeoutMs     int    `json:"timeout_ms,omitempty" min:"1" max:"3600000" desc:"Deadline in milliseconds, 1 to 3600000. Default 120000."`
	Justification string `json:"justification,omitempty" desc:"One sentence for the person who may be asked to allow it. Default none."`
}

// Exec is the tool exec_command.
type Exec struct {
	ws  *workspace.Workspace
	env []string

	mu      sync.Mutex
	running map[*process]bool
	closed  bool
}

// ExecCommand is the tool exec_command. env is the environment that commands
// start from ("KEY=value"; nil = this process's); keys of providers, and the
// variables that secrets name, are taken out of it.
func ExecCommand(ws *workspace.Workspace, env []string, secrets ...string) *Exec {
	if env == nil {
		env = os.Environ()
	}
	return &Exec{ws: ws, env: quiet(env, secrets), running: map[*process]bool{}}
}

// Close kills every running command with its children; later calls are refused.
func (x *Exec) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for p := range x.running {
		p.kill()
	}
}

// Spec implements tools.Tool.
func (x *Exec) Spec() tools.Spec {
	return tools.Spec{
		Name: "exec_command", Title: "Run a command", Description: strings.TrimSpace(doc), Input: schema.Of[args](),
		Destructive: true, OpenWorld: true, SearchHint: "shell bash terminal run build test git script",
	}
}

// Prepare implements tools.Tool.
func (x *Exec) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
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
	deadline := defaultDeadline
	if a.TimeoutMs > 0 {
		deadline = time.Duration(a.TimeoutMs) * time.Millisecond
	}
	effects := []tools.Effect{{Kind: tools.Command, Command: a.Command, Shell: otherShell()}}
	if dir.Outside {
		effects = append(effects, files.Effect(tools.Read, dir))
	}
	return tools.Action{
		Effects:  effects,
		Preview:  tools.Preview{Command: a.Command, Cwd: dir.Path, Text: a.Justification},
		Activity: "Running " + firstLine(a.Command),
		Run: func(ctx context.Context, out tools.Progress) (tools.Result, error) {
			return x.run(ctx, a.Command, dir.Path, deadline, out)
		},
	}, nil
}

func (x *Exec) dir(call tools.Call, name string) (workspace.File, error) {
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

func (x *Exec) run(ctx context.Context, command, dir string, deadline time.Duration, out tools.Progress) (tools.Result, error) {
	begun := time.Now()
	unsaved := x.unsaved()
	p, err := start(command, dir, x.env, out.Output)
	if err != nil {
		return tools.Result{}, tools.Fail(fmt.Sprintf("The command could not be started: %v.", err))
	}
	if !x.enter(p) {
		p.kill()
	}
	end := p.wait(ctx, deadline)
	x.leave(p)
	x.tellChanged(begun)
	return result(end, time.Since(begun), unsaved), nil
}

// unsaved are the open files whose text the command cannot see, at most ten.
func (x *Exec) unsaved() []string {
	var out []string
	for _, d := range x.ws.Documents() {
		if d.Dirty {
			out = append(out, d.Rel)
		}
	}
	slices.Sort(out)
	if len(out) > 10 {
		out = append(out[:10], "…")
	}
	return out
}

func (x *Exec) enter(p *process) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running[p] = true
	return !x.closed
}

func (x *Exec) leave(p *process) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.running, p)
}

// result words how a command ended.
func result(e ending, took time.Duration, unsaved []string) tools.Result {
	res := tools.Result{Outcome: tools.OK}
	var b strings.Builder
	secs := fmt.Sprintf("%.1f s", took.Seconds())
	switch {
	case e.timedOut:
		res.Outcome = tools.Timeout
		fmt.Fprintf(&b, "Timed out: killed after %s, with all that it started. It may have had part of its effect; a longer timeout_ms may help.", secs)
	case e.stopped:
		res.Outcome = tools.Aborted
		fmt.Fprintf(&b, "Aborted by the user after %s and killed, with all that it started. It may have had part of its effect.", secs)
	case e.signal != "":
		res.Outcome = tools.Failed
		fmt.Fprintf(&b, "Killed by signal %s. Wall time %s.", e.signal, secs)
	default:
		if e.code != 0 {
			res.Outcome = tools.Failed
		}
		fmt.Fprintf(&b, "Exit code %d. Wall time %s.", e.code, secs)
	}
	if e.left {
		b.WriteString(" A child that left the process group still held the output; it may still run.")
	}
	if len(unsaved) > 0 {
		fmt.Fprintf(&b, " The command saw the files on disk; unsaved changes in the editor it did not see: %s.", strings.Join(unsaved, ", "))
	}
	head := b.String()
	if strings.TrimSpace(e.output) == "" {
		res.Text = head + " No output."
	} else {
		res.Text = head + " Output:\n" + e.output
	}
	return res
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
