package fake

import (
	"context"
	"encoding/json"

	"companion/internal/editortest/fake/wire"
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
	return e.Execute(ctx, Command{Command: command, Arguments: []json.RawMessage{wire.Encode(argument)}})
}
