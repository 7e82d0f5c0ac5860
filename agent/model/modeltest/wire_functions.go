package modeltest

import (
	"encoding/json"
	"slices"
)

func (w *wire) chat(r map[string]json.RawMessage) {
	var tools, messages []json.RawMessage
	_ = json.Unmarshal(r["tools"], &tools)
	_ = json.Unmarshal(r["messages"], &messages)
	for _, raw := range tools {
		var t struct {
			Type     string `json:"type"`
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		}
		_ = json.Unmarshal(raw, &t)
		if t.Type != "function" {
			w.refuse("a tool of the type %q", t.Type)
		}
		w.schema(t.Function.Name, t.Function.Parameters)
		w.declare(declared{name: t.Function.Name, form: "function"}, 64)
		w.list(t.Function.Name, raw)
	}
	open := map[string]bool{}
	for i, raw := range messages {
		var m struct {
			Role       string `json:"role"`
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct {
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		}
		_ = json.Unmarshal(raw, &m)
		w.item(m.Role+" "+m.ToolCallID, raw)
		switch {
		case m.Role == "tool" && !open[m.ToolCallID]:
			w.refuse("message %d answers %q, which is no call before it", i, m.ToolCallID)
		case m.Role == "tool":
			delete(open, m.ToolCallID)
		case len(open) > 0:
			w.refuse("message %d comes before the results of %v", i, open)
		case m.Role == "system" && i > 0:
			w.refuse("message %d is system's", i)
		}
		for _, c := range m.ToolCalls {
			if open[c.ID] = true; !json.Valid([]byte(c.Function.Arguments)) { // HB-180
				w.refuse("the arguments of call %s are no JSON: %s", c.ID, c.Function.Arguments)
			}
		}
	}
	if len(open) > 0 {
		w.refuse("calls without results: %v", open)
	}
}

type geminiPart struct {
	FunctionCall *struct {
		Name string `json:"name"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

func (w *wire) gemini(r map[string]json.RawMessage) {
	w.system = string(r["systemInstruction"])
	var sets []struct {
		Functions []json.RawMessage `json:"functionDeclarations"`
		Search    json.RawMessage   `json:"googleSearch"`
	}
	_ = json.Unmarshal(r["tools"], &sets)
	for _, set := range sets {
		for _, raw := range set.Functions {
			var f struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"parametersJsonSchema"`
			}
			_ = json.Unmarshal(raw, &f)
			w.schema(f.Name, f.Schema)
			w.declare(declared{name: f.Name, form: "function"}, 128)
			w.list(f.Name, raw)
		}
		if set.Search != nil {
			w.declare(declared{name: "web_search", form: "hosted"}, 128)
		}
	}
	var contents []struct {
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}
	_ = json.Unmarshal(r["contents"], &contents)
	var open []string // names of the calls that wait for a response
	for i, c := range contents {
		if len(c.Parts) == 0 || i == 0 && c.Role != "user" {
			w.refuse("contents.%d: role %s, %d parts", i, c.Role, len(c.Parts))
		}
		answered := open
		open = nil
		for _, raw := range c.Parts {
			w.item(c.Role, raw)
			var p geminiPart
			_ = json.Unmarshal(raw, &p)
			switch {
			case p.FunctionCall != nil:
				open = append(open, p.FunctionCall.Name)
			case p.FunctionResponse != nil:
				at := slices.Index(answered, p.FunctionResponse.Name)
				if at < 0 || p.FunctionResponse.Response == nil {
					w.refuse("contents.%d: a response of %s, which was not called before it", i, p.FunctionResponse.Name)
					continue
				}
				answered = slices.Delete(slices.Clone(answered), at, at+1)
			}
		}
		if len(answered) > 0 {
			w.refuse("contents.%d: no responses of %v; as many are wanted as there were calls", i, answered)
		}
	}
}
