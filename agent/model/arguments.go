package model

import (
	"bytes"
	"encoding/json"
)

// ArgumentsObject is the JSON object that stands for a call's arguments in a
// request: arguments themselves when they are an object, {} when empty, and
// else (cut off, or no JSON) an object that quotes them, since vendors refuse a
// transcript with arguments that are none.
func ArgumentsObject(arguments string) json.RawMessage {
	trimmed := bytes.TrimSpace([]byte(arguments))
	if len(trimmed) == 0 {
		return json.RawMessage(`{}`)
	}
	if trimmed[0] == '{' && json.Valid(trimmed) {
		return PairedEscapes(trimmed)
	}
	quoted, err := json.Marshal(map[string]string{"unreadable_arguments": arguments})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return quoted
}

// ResultText is a result's text as a vendor takes it, never empty.
func ResultText(it Item) string {
	if it.Text == "" && len(it.Images) == 0 {
		return "(no output)"
	}
	return it.Text
}

// IsFreeform tells whether a call of the tool is text instead of JSON.
func (t Tool) IsFreeform() bool { return t.Freeform || t.Grammar != "" }

// FreeformInput unwraps the arguments of a freeform tool that travelled as a
// function with one string property "input"; what has another shape stays.
func FreeformInput(arguments string) string {
	var in struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal([]byte(arguments), &in) == nil && in.Input != nil {
		return *in.Input
	}
	return arguments
}

// FreeformArguments wraps what FreeformInput unwraps.
func FreeformArguments(input string) json.RawMessage {
	b, err := json.Marshal(map[string]string{"input": input})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

// FreeformTool is tool as a plain function, for vendors without freeform tools:
// one string "input", the grammar in the description.
func FreeformTool(tool Tool) Tool {
	if !tool.IsFreeform() {
		return tool
	}
	if tool.Grammar != "" {
		tool.Description += "\n\nThe input must match this Lark grammar:\n" + tool.Grammar
	}
	tool.Parameters = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)
	tool.Grammar, tool.Freeform = "", false
	return tool
}

// CallArguments are the arguments of a call in a request whose wire has only
// functions.
func CallArguments(t Tool, it Item) json.RawMessage {
	if t.IsFreeform() {
		return FreeformArguments(it.Arguments)
	}
	return ArgumentsObject(it.Arguments)
}
