package model

import (
	"encoding/json"
	"slices"
)

// StrictSchema tells whether a tool may be sent as strict: it says so, and its
// schema is made only of what all vendors' strict modes take (every object
// closed, every property required, no bounds or patterns). A strict tool with
// more is refused together with the whole request; without strict the same
// schema is fine, and arguments are validated by us in any case.
func StrictSchema(t Tool) bool {
	var schema any
	return t.Strict && json.Unmarshal(t.Parameters, &schema) == nil && strictNode(schema)
}

func strictNode(node any) bool {
	schema, ok := node.(map[string]any)
	if !ok {
		return false
	}
	for key, v := range schema {
		switch key {
		case "type", "description", "title", "enum", "const", "required", "additionalProperties":
		case "items":
			if !strictNode(v) {
				return false
			}
		case "anyOf":
			list, _ := v.([]any)
			if slices.ContainsFunc(list, func(n any) bool { return !strictNode(n) }) {
				return false
			}
		case "properties":
			props, _ := v.(map[string]any)
			required, _ := schema["required"].([]any)
			for name, p := range props {
				if !slices.Contains(required, any(name)) || !strictNode(p) {
					return false
				}
			}
		default:
			return false
		}
	}
	if _, isObject := schema["properties"]; isObject || schema["type"] == "object" {
		return schema["additionalProperties"] == false
	}
	return true
}

// Functions are tools as plain functions, without those that a vendor runs:
// what a wire without other forms has of a list. A namespace's description
// stands with its first member.
func Functions(tools []Tool) []Tool {
	out := make([]Tool, 0, len(tools))
	seen := map[string]bool{"": true}
	for _, t := range tools {
		if t.Hosted != "" {
			continue
		}
		if !seen[t.Namespace] && t.NamespaceText != "" {
			t.Description += "\n\n" + t.Namespace + "__…: " + t.NamespaceText
		}
		seen[t.Namespace] = true
		out = append(out, FreeformTool(t))
	}
	return out
}
