package modeltest

import "encoding/json"

type openaiTool struct {
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Execution   string            `json:"execution"`
	Parameters  json.RawMessage   `json:"parameters"`
	Strict      *bool             `json:"strict"`
	Defer       bool              `json:"defer_loading"`
	Tools       []json.RawMessage `json:"tools"`
}

func (w *wire) openai(r map[string]json.RawMessage) {
	w.system = string(r["instructions"])
	var tools, input []json.RawMessage
	_ = json.Unmarshal(r["tools"], &tools)
	_ = json.Unmarshal(r["input"], &input)
	for _, raw := range tools {
		w.list(w.openaiTool("", raw, false), raw)
	}
	open := map[string]string{} // call id → type of its output
	seen := map[string]bool{}
	for _, raw := range input {
		w.openaiItem(raw, open, seen)
	}
	for id := range open {
		w.refuse("No tool output found for call %s.", id)
	}
}

func (w *wire) openaiTool(namespace string, raw json.RawMessage, loaded bool) string {
	var t openaiTool
	_ = json.Unmarshal(raw, &t)
	switch t.Type {
	case "namespace":
		if t.Description == "" || len(t.Tools) == 0 || namespace != "" {
			w.refuse("namespace %q: it has a description and tools, and stands in none", t.Name)
		}
		for _, m := range t.Tools {
			w.openaiTool(t.Name, m, loaded)
		}
	case "tool_search":
		if t.Execution != "client" || t.Parameters == nil {
			w.refuse("tool_search: execution client, with parameters")
		}
		w.declare(declared{name: "tool_search", form: "search"}, 64)
	case "web_search":
		w.declare(declared{name: "web_search", form: "hosted"}, 64)
	case "custom":
		w.declare(declared{namespace, t.Name, "custom", t.Defer && !loaded, loaded}, 64)
	case "function":
		w.schema(t.Name, t.Parameters)
		if t.Strict == nil {
			w.refuse("tool %s: strict is not said", t.Name)
		}
		w.declare(declared{namespace, t.Name, "function", t.Defer && !loaded, loaded}, 64)
	default:
		w.refuse("tool of the unknown type %q", t.Type)
	}
	return t.Type + " " + t.Name
}

func (w *wire) openaiItem(raw json.RawMessage, open map[string]string, seen map[string]bool) {
	var it struct {
		Type      string            `json:"type"`
		Role      string            `json:"role"`
		CallID    string            `json:"call_id"`
		Execution string            `json:"execution"`
		Arguments json.RawMessage   `json:"arguments"`
		Content   []json.RawMessage `json:"content"`
		Tools     []json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(raw, &it)
	w.item(it.Type+" "+it.CallID, raw)
	switch it.Type {
	case "function_call", "custom_tool_call", "tool_search_call":
		if seen[it.CallID] || it.CallID == "" {
			w.refuse("call id %q is there twice, or empty", it.CallID)
		}
		seen[it.CallID] = true
		open[it.CallID] = map[string]string{
			"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output", "tool_search_call": "tool_search_output",
		}[it.Type]
		var text string
		if _ = json.Unmarshal(it.Arguments, &text); it.Type == "function_call" && !json.Valid([]byte(text)) {
			w.refuse("the arguments of call %s are no JSON: %s", it.CallID, it.Arguments)
		}
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		if open[it.CallID] != it.Type {
			w.refuse("No tool call found for %s with call_id %q.", it.Type, it.CallID)
		}
		delete(open, it.CallID)
	case "message":
		if len(it.Content) == 0 {
			w.refuse("a message without content")
		}
	case "additional_tools":
		if it.Role != "developer" {
			w.refuse("additional_tools: role is developer")
		}
	case "reasoning", "web_search_call":
	default:
		w.refuse("item of the unknown type %q", it.Type)
	}
	for _, t := range it.Tools {
		w.openaiTool("", t, true)
	}
}
