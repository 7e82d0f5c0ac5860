package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// CodeActions asks for the code actions of a range, with no diagnostics in the
// context, as an editor does that knows none of another server.
func (e *Editor) CodeActions(ctx context.Context, uri string, r Range, only ...string) ([]Action, error) {
	return e.CodeActionsWith(ctx, uri, r, nil, only...)
}

// CodeActionsWith passes diagnostics in the context.
func (e *Editor) CodeActionsWith(ctx context.Context, uri string, r Range, diags []Diagnostic, only ...string) ([]Action, error) {
	if diags == nil {
		diags = []Diagnostic{}
	}
	c := map[string]any{"diagnostics": diags, "triggerKind": 1}
	if len(only) > 0 {
		c["only"] = only
	}
	var out []Action
	err := e.Request(ctx, "textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": uri}, "range": r, "context": c,
	}, &out)
	return out, err
}

// Find returns the first action whose title starts with prefix; the error
// lists the titles that were offered.
func Find(actions []Action, prefix string) (Action, error) {
	var titles []string
	for _, a := range actions {
		if strings.HasPrefix(a.Title, prefix) {
			return a, nil
		}
		titles = append(titles, fmt.Sprintf("%q", a.Title))
	}
	return Action{}, fmt.Errorf("no code action %q; offered: %s", prefix, strings.Join(titles, ", "))
}

// Execute runs a command of the server and returns its result.
func (e *Editor) Execute(ctx context.Context, c Command) (json.RawMessage, error) {
	var result json.RawMessage
	params := map[string]any{"command": c.Command}
	if c.Arguments != nil {
		params["arguments"] = c.Arguments
	}
	err := e.Request(ctx, "workspace/executeCommand", params, &result)
	return result, err
}

// Run is Execute with one argument object.
func (e *Editor) Run(ctx context.Context, command string, argument any) (json.RawMessage, error) {
	return e.Execute(ctx, Command{Command: command, Arguments: []json.RawMessage{encode(argument)}})
}

// startsTurn tells the commands that start a turn: their answer must precede
// everything that the turn sends.
func startsTurn(method string, params json.RawMessage) bool {
	if method == "companion/turn/start" {
		return true
	}
	var p struct {
		Command string `json:"command"`
	}
	if method != "workspace/executeCommand" || json.Unmarshal(params, &p) != nil {
		return false
	}
	switch p.Command {
	case "companion.ask", "companion.edit", "companion.fix", "companion.explain", "companion.document", "companion.test", "companion.extract":
		return true
	}
	return false
}
