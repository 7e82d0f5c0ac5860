package modeltest

import (
	"encoding/json"
	"strings"
)

type anthropicTool struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"input_schema"`
	Strict bool            `json:"strict"`
	Defer  bool            `json:"defer_loading"`
	Cache  json.RawMessage `json:"cache_control"`
}

type anthropicBlock struct {
	Type      string           `json:"type"`
	Text      string           `json:"text"`
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	ToolName  string           `json:"tool_name"`
	ToolUseID string           `json:"tool_use_id"`
	Content   json.RawMessage  `json:"content"`
	Tool      *json.RawMessage `json:"tool"`
}

func (w *wire) anthropic(r map[string]json.RawMessage) {
	w.system = unmarked(r["system"])
	var tools []json.RawMessage
	_ = json.Unmarshal(r["tools"], &tools)
	listed, strict := 0, 0
	for _, raw := range tools {
		t := w.anthropicTool(raw, false)
		if t.Strict {
			strict++
		}
		if !t.Defer {
			listed++
			w.list(t.Name, raw)
		}
	}
	if strict > 20 {
		w.refuse("%d strict tools, at most 20", strict)
	}
	if len(tools) > 0 && listed == 0 {
		w.refuse("all tools have defer_loading: at least one has not")
	}
	whole := string(r["system"]) + string(r["tools"]) + string(r["messages"])
	if n := strings.Count(whole, `"cache_control"`); n > 4 {
		w.refuse("%d blocks with cache_control, at most 4", n)
	}
	var messages []struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(r["messages"], &messages)
	var open map[string]bool // calls of the last assistant message
	for i, m := range messages {
		if i == 0 && m.Role != "user" || i > 0 && m.Role == messages[i-1].Role || m.Role == "system" && messages[i-1].Role != "user" {
			w.refuse("message %d has the role %s", i, m.Role)
		}
		calls := w.anthropicMessage(m.Role, m.Content, open)
		if len(open) > 0 {
			w.refuse("messages.%d: tool_use ids were found without tool_result blocks immediately after: %v", i, open)
		}
		open = calls
	}
	if len(open) > 0 {
		w.refuse("the last tool_use blocks have no tool_result: %v", open)
	}
}

func (w *wire) anthropicTool(raw json.RawMessage, added bool) anthropicTool {
	var t anthropicTool
	_ = json.Unmarshal(raw, &t)
	form := "function"
	switch {
	case strings.HasPrefix(t.Type, "web_search_"):
		form = "hosted"
	case t.Type != "" && t.Type != "custom":
		w.refuse("tool %s has the unknown type %s", t.Name, t.Type)
	default:
		w.schema(t.Name, t.Schema)
	}
	if t.Defer && t.Cache != nil {
		w.refuse("tool %s has defer_loading and cache_control", t.Name)
	}
	w.declare(declared{name: t.Name, form: form, deferred: t.Defer, loaded: added}, 64)
	return t
}

// anthropicMessage reads the blocks of a message: results close what is open,
// the calls in it are handed back.
func (w *wire) anthropicMessage(role string, blocks []json.RawMessage, open map[string]bool) (calls map[string]bool) {
	calls = map[string]bool{}
	if len(blocks) == 0 {
		w.refuse("a message without content")
	}
	for _, raw := range blocks {
		var b anthropicBlock
		_ = json.Unmarshal(raw, &b)
		w.item(role+" "+b.Type, raw)
		switch b.Type {
		case "text":
			if strings.TrimSpace(b.Text) == "" {
				w.refuse("a text block is blank")
			}
		case "tool_use":
			if calls[b.ID] {
				w.refuse("tool_use id %s is there twice", b.ID)
			}
			calls[b.ID] = true
		case "tool_result":
			if !open[b.ToolUseID] {
				w.refuse("unexpected tool_use_id %s: no tool_use in the message before", b.ToolUseID)
			}
			delete(open, b.ToolUseID)
			w.references(b.Content)
		case "tool_addition":
			w.addition(role, b)
		}
	}
	return calls
}

// references loads what a result refers to.
func (w *wire) references(content json.RawMessage) {
	var blocks []anthropicBlock
	_ = json.Unmarshal(content, &blocks)
	for _, b := range blocks {
		if b.Type != "tool_reference" {
			continue
		}
		d := w.tools[b.ToolName]
		if d == nil || !d.deferred {
			w.refuse("tool reference unresolved: %s", b.ToolName)
			continue
		}
		d.loaded = true
	}
}

func (w *wire) addition(role string, b anthropicBlock) {
	var tool struct {
		Type       string          `json:"type"`
		Definition json.RawMessage `json:"definition"`
	}
	if b.Tool == nil || json.Unmarshal(*b.Tool, &tool) != nil || tool.Type != "tool_definition" || role != "system" {
		w.refuse("a tool_addition without a definition, or not in a system message")
		return
	}
	var head anthropicTool
	_ = json.Unmarshal(tool.Definition, &head)
	if w.tools[head.Name] != nil {
		w.refuse("tool %s is defined again", head.Name)
		return
	}
	w.anthropicTool(tool.Definition, true)
}
