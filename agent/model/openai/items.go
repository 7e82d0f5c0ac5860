package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"

	"companion/agent/model"
)

type content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

type message struct {
	Type    string    `json:"type"`
	Role    string    `json:"role"`
	Content []content `json:"content"`
}

type call struct {
	Type      string  `json:"type"`
	CallID    string  `json:"call_id"`
	Namespace string  `json:"namespace,omitempty"`
	Name      string  `json:"name"`
	Arguments *string `json:"arguments,omitempty"`
	Input     *string `json:"input,omitempty"`
}

type searchCall struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Execution string          `json:"execution"`
	Arguments json.RawMessage `json:"arguments"`
	Status    string          `json:"status"`
}

type output struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // string or []content
}

type searchOutput struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Execution string `json:"execution"`
	Status    string `json:"status"`
	Tools     []tool `json:"tools"`
}

type addition struct {
	Type  string `json:"type"`
	Role  string `json:"role"`
	Tools []tool `json:"tools"`
}

// writer puts items into the service's form.
type writer struct {
	req   model.Request
	names model.ToolNames
	told  model.Told
	calls map[string]callForm // by call id: what results must know of them
}

type callForm struct {
	wire string // type of the call's item
	id   string // of the call on the wire: the service's own where it is replayed
}

// item is an item as input items, none for what has nothing to say.
func (w *writer) item(it model.Item) ([]json.RawMessage, error) {
	raw := it.Raw
	if it.RawFor != Name+"/"+w.req.Model {
		raw = nil
	}
	if it.Hosted {
		if raw == nil { // of another model; what it found is in the answer
			return nil, nil
		}
		return []json.RawMessage{raw}, nil
	}
	if it.Kind == model.ToolCall {
		w.calls[it.CallID] = w.form(it, raw)
	}
	if raw != nil {
		return []json.RawMessage{raw}, nil
	}
	switch it.Kind {
	case model.ToolCall:
		return list(w.call(it))
	case model.ToolReply:
		return w.reply(it)
	case model.ToolsAdded:
		if added := w.told.Added(it); len(added) > 0 {
			return list(addition{"additional_tools", "developer", w.tools(added, false)})
		}
		return nil, nil
	case model.Message:
		kind := "input_text"
		if it.Role == model.Assistant {
			kind = "output_text"
		}
		parts := contents(kind, it)
		if len(parts) == 0 {
			return nil, nil
		}
		return list(message{Type: "message", Role: string(cmp.Or(it.Role, model.User)), Content: parts})
	default: // reasoning of another model
		return nil, nil
	}
}

func list(items ...any) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, 0, len(items))
	for _, it := range items {
		raw, err := json.Marshal(it)
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return out, nil
}

// form is the type in which a call is sent.
func (w *writer) form(it model.Item, raw json.RawMessage) callForm {
	if raw != nil {
		var head struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
		}
		_ = json.Unmarshal(raw, &head)
		return callForm{head.Type, head.CallID}
	}
	t, id := w.names.Of(it.Namespace, it.Name), model.WireCallID(it.CallID)
	switch {
	case t.Search && w.req.Takes.Late:
		return callForm{"tool_search_call", id}
	case t.IsFreeform() && w.req.Takes.Freeform:
		return callForm{"custom_tool_call", id}
	}
	return callForm{"function_call", id}
}

func (w *writer) id(it model.Item) string {
	if c, ok := w.calls[it.CallID]; ok {
		return c.id
	}
	return model.WireCallID(it.CallID)
}

func (w *writer) call(it model.Item) any {
	ns, name := w.nameOf(it.Namespace, it.Name)
	c := call{Type: w.calls[it.CallID].wire, CallID: w.id(it), Namespace: ns, Name: name}
	switch c.Type {
	case "tool_search_call":
		return searchCall{c.Type, c.CallID, "client", model.ArgumentsObject(it.Arguments), "completed"}
	case "custom_tool_call":
		c.Input = &it.Arguments
	default:
		args := string(model.CallArguments(w.names.Of(it.Namespace, it.Name), it))
		c.Arguments = &args
	}
	return c
}

// reply is a result. A search's output holds definitions and no text, so what
// it has to say besides follows as ours.
func (w *writer) reply(it model.Item) ([]json.RawMessage, error) {
	found := append(w.told.Found(it), w.told.Fresh(it)...)
	if w.calls[it.CallID].wire == "tool_search_call" {
		out := searchOutput{"tool_search_output", w.id(it), "client", "completed", w.tools(found, true)}
		if out.Tools == nil {
			out.Tools = []tool{}
		}
		if len(found) > 0 && !it.IsError {
			return list(out)
		}
		return list(out, message{"message", string(model.Developer), contents("input_text", model.Item{Text: model.ResultText(it)})})
	}
	out := output{Type: "function_call_output", CallID: w.id(it), Output: model.ResultText(it)}
	if w.calls[it.CallID].wire == "custom_tool_call" {
		out.Type = "custom_tool_call_output"
	}
	if len(it.Images) > 0 {
		out.Output = contents("input_text", it)
	}
	if len(found) > 0 {
		return list(out, addition{"additional_tools", "developer", w.tools(found, false)})
	}
	return list(out)
}

func contents(kind string, it model.Item) []content {
	var parts []content
	if it.Text != "" {
		parts = append(parts, content{Type: kind, Text: it.Text})
	}
	for _, img := range it.Images {
		parts = append(parts, content{Type: "input_image", ImageURL: "data:" + img.MimeType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)})
	}
	return parts
}
