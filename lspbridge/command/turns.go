package command

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"companion/agent"
	"companion/lspbridge/companion"
	"companion/lspbridge/document"
	"companion/lspbridge/rpc"
	"companion/session"
	"companion/tools"
	"companion/workspace"
)

// place is what the commands that start a turn take.
type place struct {
	Prompt      string            `json:"prompt"`
	URI         string            `json:"uri"`
	Range       json.RawMessage   `json:"range"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
	ThreadID    string            `json:"threadId"`
}

// answer of a command that starts a turn.
type answer struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
}

// lspRange is for checking; what goes on is the bytes.
type lspRange struct {
	Start *lspPosition `json:"start"`
	End   *lspPosition `json:"end"`
}

type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// read decodes and checks the argument; needFile makes uri required.
func (x *Runner) read(arg json.RawMessage, needFile bool) (place, workspace.File, error) {
	var p place
	if err := rpc.Decode(arg, "arguments[0]", &p); err != nil {
		return p, workspace.File{}, err
	}
	if p.URI == "" {
		if needFile {
			return p, workspace.File{}, rpc.BadParam("arguments[0].uri", "missing")
		}
		return p, workspace.File{}, nil
	}
	if !document.Served(p.URI) {
		return p, workspace.File{}, rpc.BadParam("arguments[0].uri", "%s is neither a file nor an unsaved buffer", p.URI)
	}
	f, err := x.Workspace.ResolveURI(p.URI)
	if err != nil {
		return p, f, rpc.BadParam("arguments[0].uri", "%v", err)
	}
	if string(p.Range) == "null" {
		p.Range = nil
	}
	if p.Range != nil {
		var at lspRange
		if err := rpc.Decode(p.Range, "arguments[0].range", &at); err != nil {
			return p, f, err
		}
		if at.Start == nil || at.End == nil {
			return p, f, rpc.BadParam("arguments[0].range", "start or end is missing")
		}
	}
	return p, f, nil
}

// start reserves the turn and answers.
func (x *Runner) start(r *rpc.Request, p place, f workspace.File, kind Kind, o agent.TurnOptions, title string) (any, error) {
	x.Adopt(f)
	o.Thread, o.Title, o.Roots = p.ThreadID, title, x.roots(f)
	t, err := x.Agent.NewTurn(o)
	if err != nil {
		return nil, companion.Fault(err)
	}
	x.Started(r, t, kind, title)
	return answer{t.ThreadID(), t.ID()}, nil
}

// roots puts the root that holds f first: it is the working folder.
func (x *Runner) roots(f workspace.File) []string {
	roots := x.Workspace.Roots()
	if f.Path == "" {
		return roots
	}
	out := make([]string, 0, len(roots))
	var rest []string
	for _, root := range roots {
		if len(out) == 0 && holds(root, f.Path) {
			out = append(out, root)
			continue
		}
		rest = append(rest, root)
	}
	return append(out, rest...)
}

func holds(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func (x *Runner) fix(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	p, f, err := x.read(arg, true)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(p.Diagnostics)
	if err != nil {
		return nil, rpc.BadParam("arguments[0].diagnostics", "%v", err)
	}
	messages, err := describe(list)
	if err != nil {
		return nil, err
	}
	if len(p.Diagnostics) > 0 {
		list = x.UTF16(p.URI, list)
	} else {
		known := x.Known(p.URI)
		if list, err = json.Marshal(within(known, x.UTF16(p.URI, p.Range))); err != nil {
			return nil, fmt.Errorf("diagnostics of %s: %w", f.Rel, err)
		}
		if messages, err = describe(list); err != nil {
			return nil, err
		}
	}
	input := []session.Input{{Type: "text", Text: fixPrompt(f.Rel, messages)}}
	title := "Fix " + f.Rel
	if len(messages) > 0 {
		input = append(input, session.Input{Type: "diagnostics", URI: p.URI, Diags: list})
		title = fmt.Sprintf("Fix %s in %s", count(len(messages), "problem"), f.Rel)
	} else {
		input = append(input, session.Input{Type: "file", URI: p.URI})
	}
	return x.start(r, p, f, Fix, agent.TurnOptions{Input: input, Mode: x.Mode(), ByUser: true}, title)
}

func (x *Runner) ask(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	p, f, err := x.read(arg, false)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.Prompt) == "" {
		return nil, rpc.BadParam("arguments[0].prompt", "missing: what do you want to ask?")
	}
	o := agent.TurnOptions{Input: x.input(p, p.Prompt), Mode: tools.ModeAsk, ByUser: true}
	return x.start(r, p, f, Ask, o, oneLine(p.Prompt))
}

func (x *Runner) edit(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	p, f, err := x.read(arg, true)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.Prompt) == "" {
		p.Prompt = x.mention(p)
	}
	if p.Prompt == "" {
		return nil, rpc.BadParam("arguments[0].prompt", "missing: say what should be changed, by a command that sends {prompt, uri, range}, a comment in the range that mentions @companion, or a prompt of the setting companion.prompts")
	}
	o := agent.TurnOptions{Input: x.input(p, p.Prompt), Mode: x.Mode(), ByUser: true}
	return x.start(r, p, f, Edit, o, oneLine(p.Prompt))
}

// input is the prompt and what it is about.
func (x *Runner) input(p place, prompt string) []session.Input {
	in := []session.Input{{Type: "text", Text: prompt}}
	switch {
	case p.URI == "":
	case p.Range != nil:
		in = append(in, session.Input{Type: "selection", URI: p.URI, Range: x.UTF16(p.URI, p.Range)})
	default:
		in = append(in, session.Input{Type: "file", URI: p.URI})
	}
	return in
}

func (x *Runner) explain(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	return x.about(r, arg, Explain, tools.ModeAsk, "Explain",
		"Explain what this code in %s does, why it does it so, and what to know before changing it. Be brief.")
}

func (x *Runner) document(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	return x.about(r, arg, Document, x.Mode(), "Document",
		"Write or improve the documentation comments of this code in %s, in the style of the file. Change comments only.")
}

func (x *Runner) test(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	return x.about(r, arg, Test, x.Mode(), "Write tests for",
		"Write tests for this code in %s where the project keeps its tests and in their style, then run them. Do not change the code itself.")
}

func (x *Runner) extract(_ context.Context, r *rpc.Request, arg json.RawMessage) (any, error) {
	return x.about(r, arg, Extract, x.Mode(), "Extract from",
		"Extract this code in %s into a well-named function, call it where the code was, and keep the behaviour as it is.")
}

// about starts a turn with a prompt of ours on a range of a file.
func (x *Runner) about(r *rpc.Request, arg json.RawMessage, kind Kind, mode tools.Mode, verb, prompt string) (any, error) {
	p, f, err := x.read(arg, true)
	if err != nil {
		return nil, err
	}
	if p.Range == nil {
		return nil, rpc.BadParam("arguments[0].range", "missing")
	}
	p.Range = x.widen(p)
	o := agent.TurnOptions{Input: x.input(p, fmt.Sprintf(prompt, f.Rel)), Mode: mode, ByUser: true}
	return x.start(r, p, f, kind, o, verb+" "+f.Rel)
}
