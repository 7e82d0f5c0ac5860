package command

import (
	"context"
	"encoding/json"
	"slices"

	"companion/agent"
	"companion/lspbridge/companion"
	"companion/lspbridge/rpc"
	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// Turn is a turn that was reserved and does not run yet.
type Turn = companion.Turn

// Running names a turn that runs.
type Running struct{ Thread, Turn string }

// Agent is what the commands ask of the agent.
type Agent interface {
	// NewTurn reserves a turn; no event is sent before Turn.Run.
	NewTurn(o agent.TurnOptions) (Turn, error)
	// Stop returns after the turn's turn.completed, at most 2 s.
	Stop(ctx context.Context, thread, turn string) error
	// StopAll stops every running turn and names them.
	StopAll(ctx context.Context) []string
	Running() []Running
}

// Kind of a turn: the command without its prefix. It says how the editor shows
// the turn's end.
type Kind string

// Kinds of turns.
const (
	Fix      Kind = "fix"
	Ask      Kind = "ask"
	Edit     Kind = "edit"
	Explain  Kind = "explain"
	Document Kind = "document"
	Test     Kind = "test"
	Extract  Kind = "extract"
)

// Runner runs commands. All fields are required.
type Runner struct {
	Agent     Agent
	Workspace *workspace.Workspace
	// Mode is the mode of turns that may change files.
	Mode func() tools.Mode
	// Started hears of a reserved turn while its command is answered; it runs
	// it after that answer.
	Started func(r *rpc.Request, t Turn, kind Kind, title string)
	// Adopt hears of the file that a turn is about, before the turn is
	// reserved: without a workspace folder its directory becomes one.
	Adopt func(f workspace.File)
	// Known are the problems of a file as LSP diagnostics in utf-16.
	Known func(uri string) []json.RawMessage
	// UTF16 converts LSP positions in raw (a range or a list of diagnostics)
	// from the connection's encoding.
	UTF16   func(uri string, raw json.RawMessage) json.RawMessage
	Approve func(callID, optionID string) error
	Restart func(server string) []string
	// Companion answers the commands that tier 1 has as requests.
	Companion *companion.Handlers
	// Enclosing gives the function around a byte offset of a text, as byte
	// offsets; nil = none is known.
	Enclosing func(lang, src string, offset int) (start, end int, ok bool)
	// Encoding is that of the positions of the connection.
	Encoding text.Encoding
	// Show shows a text as a document, without moving the focus, where the
	// client does not do so itself. It does not wait.
	Show func(name, text string)
}

// run is one command; arg is its object, "{}" when absent.
type run func(x *Runner, ctx context.Context, r *rpc.Request, arg json.RawMessage) (any, error)

type entry struct {
	name string
	run  run
}

// table lists every command. A function, so that no state is shared.
func table() []entry {
	return []entry{
		{"companion.fix", (*Runner).fix},
		{"companion.ask", (*Runner).ask},
		{"companion.edit", (*Runner).edit},
		{"companion.explain", (*Runner).explain},
		{"companion.document", (*Runner).document},
		{"companion.test", (*Runner).test},
		{"companion.extract", (*Runner).extract},
		{"companion.stop", (*Runner).stop},
		{"companion.approve", (*Runner).approve},
		{"companion.keep", (*Runner).keep},
		{"companion.undo", (*Runner).undo},
		{"companion.diff", (*Runner).diff},
		{"companion.threads", same("companion/thread/list")},
		{"companion.tools", same("companion/tools/list")},
		{"companion.status", same("companion/status")},
		{"companion.restartServer", (*Runner).restartServer},
	}
}

// Names are the command ids, for executeCommandProvider.
func Names() []string {
	t := table()
	out := make([]string, len(t))
	for i, e := range t {
		out[i] = e.name
	}
	return out
}

// Execute handles workspace/executeCommand.
func (x *Runner) Execute(ctx context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	t := table()
	i := slices.IndexFunc(t, func(e entry) bool { return e.name == p.Command })
	if i < 0 {
		return nil, rpc.BadParam("command", "there is no command %q", p.Command)
	}
	arg := json.RawMessage("{}")
	if len(p.Arguments) > 0 && string(p.Arguments[0]) != "null" {
		arg = slices.Clone(p.Arguments[0])
	}
	return t[i].run(x, ctx, r, arg)
}
