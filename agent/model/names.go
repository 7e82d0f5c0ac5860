package model

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// maxToolName is the longest tool name all vendors take, in bytes: OpenAI's
// and Anthropic's limit (Gemini's is 128).
const maxToolName = 64

// ToolNames maps (namespace, name) of tools to one flat name that every vendor
// takes, and back. It is made for one request and not changed after.
type ToolNames struct {
	back map[string]Tool
}

// NewToolNames flattens the names of tools.
func NewToolNames(tools []Tool) ToolNames {
	n := ToolNames{back: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		n.back[FlatName(t.Namespace, t.Name)] = t
	}
	return n
}

// Tool is the listed tool that flat stands for. A name that no tool has is
// handed back as it is, without namespace: the agent tells the model.
func (n ToolNames) Tool(flat string) Tool {
	if t, ok := n.back[flat]; ok {
		return t
	}
	return Tool{Name: flat}
}

// FlatName is the name of a tool on the wire: name, or namespace__name, with
// characters outside [a-zA-Z0-9_-] replaced by "_" and at most 64 bytes. Where
// that loses something, a hash of the full name keeps it unique.
func FlatName(namespace, name string) string {
	full := name
	if namespace != "" {
		full = namespace + "__" + name
	}
	return portable(full, maxToolName)
}

// WireCallID is a call id that every vendor takes: id itself when it is made of
// [a-zA-Z0-9_-] and at most 64 bytes (OpenAI's limit), else a short form of it
// with a hash. The same id always gives the same.
func WireCallID(id string) string { return portable(id, 64) }

func portable(s string, limit int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	if clean == s && len(s) <= limit {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	tail := "_" + hex.EncodeToString(sum[:4])
	return clean[:min(len(clean), limit-len(tail))] + tail
}

// IDs hands out ids that are unique in a transcript.
type IDs struct{ used map[string]bool }

// NewIDs knows the ids that items use already.
func NewIDs(items []Item) *IDs {
	s := &IDs{used: make(map[string]bool, 2*len(items))}
	for _, it := range items {
		s.used[it.ID] = true
		if it.Kind == ToolCall {
			s.used[it.CallID] = true
		}
	}
	return s
}

// Take is id when it is not empty and was not taken before, else a new one with
// the prefix.
func (s *IDs) Take(id, prefix string) string {
	if id == "" || s.used[id] {
		id = prefix + "_" + strings.ToLower(rand.Text()[:20])
	}
	s.used[id] = true
	return id
}

// ObjectSchema is schema with "type":"object" in it: two vendors refuse or drop
// a schema without it. The order of properties stays.
func ObjectSchema(schema json.RawMessage) json.RawMessage {
	trimmed := bytes.TrimSpace(schema)
	if len(trimmed) < 2 || trimmed[0] != '{' {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(trimmed, &head) == nil && head.Type != nil {
		return trimmed
	}
	rest := bytes.TrimSpace(trimmed[1:])
	if len(rest) > 0 && rest[0] == '}' {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return append(json.RawMessage(`{"type":"object",`), rest...)
}

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
		return trimmed
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
	if tool.Grammar == "" {
		return tool
	}
	tool.Description += "\n\nThe input must match this Lark grammar:\n" + tool.Grammar
	tool.Parameters = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)
	tool.Grammar = ""
	return tool
}
