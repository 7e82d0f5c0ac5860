package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"companion/agent/model"
)

// message is one message of the thread: neighbours of one role are joined, and
// so all results of a step stand in one user message.
type message struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

// mark puts the cache mark on the last block; thinking blocks take none.
func (m *message) mark() {
	last := m.Content[len(m.Content)-1]
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(last, &head) != nil || strings.HasSuffix(head.Type, "thinking") {
		return
	}
	body := strings.TrimSuffix(strings.TrimSpace(string(last)), "}")
	m.Content[len(m.Content)-1] = json.RawMessage(body + `,"cache_control":{"type":"ephemeral"}}`)
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	ToolName  string          `json:"tool_name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Content   []block         `json:"content,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Tool      *definition     `json:"tool,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // base64
}

type definition struct {
	Type       string `json:"type"`
	Definition tool   `json:"definition"`
}

// writer puts items into the service's form.
type writer struct {
	req   model.Request
	old   bool
	names model.ToolNames
	told  model.Told
	ids   map[string]string // the service's ids of calls that are replayed, by ours
	beta  bool              // a definition stands in a message
}

func (w *writer) messages() ([]message, error) {
	var msgs []message
	put := func(role string, raws ...json.RawMessage) {
		if len(raws) == 0 {
			return
		}
		if n := len(msgs); n == 0 || msgs[n-1].Role != role {
			msgs = append(msgs, message{Role: role})
		}
		last := &msgs[len(msgs)-1]
		last.Content = append(last.Content, raws...)
	}
	var late []json.RawMessage // definitions that follow the results of a step
	for i, it := range w.req.Items {
		role, blocks := w.blocks(it)
		raws := []json.RawMessage{it.Raw}
		if it.Raw == nil || it.RawFor != Name+"/"+w.req.Model {
			var err error
			if raws, err = marshal(it, blocks); err != nil {
				return nil, err
			}
		} else if it.Kind == model.ToolCall {
			var head struct {
				ID string `json:"id"`
			}
			_ = json.Unmarshal(it.Raw, &head)
			w.ids[it.CallID] = head.ID
		}
		put(role, raws...)
		add, err := marshal(it, w.definitions(w.told.Fresh(it)))
		if err != nil {
			return nil, err
		}
		late = append(late, add...)
		if i+1 == len(w.req.Items) || w.req.Items[i+1].Kind != model.ToolReply {
			put("system", late...)
			late = nil
		}
	}
	return msgs, nil
}

func marshal(it model.Item, blocks []block) ([]json.RawMessage, error) {
	raws := make([]json.RawMessage, 0, len(blocks))
	for _, b := range blocks {
		raw, err := json.Marshal(b)
		if err != nil {
			return nil, fmt.Errorf("item %s: %w", it.ID, err)
		}
		raws = append(raws, raw)
	}
	return raws, nil
}

// blocks is an item in neutral blocks; reasoning, and what the service ran, has
// none.
func (w *writer) blocks(it model.Item) (role string, blocks []block) {
	if it.Hosted {
		return "assistant", nil
	}
	switch it.Kind {
	case model.ToolCall:
		t := w.names.Of(it.Namespace, it.Name)
		return "assistant", []block{{
			Type: "tool_use", ID: model.WireCallID(it.CallID), Name: w.names.Flat(it.Namespace, it.Name), Input: model.CallArguments(t, it),
		}}
	case model.ToolReply:
		id := cmp.Or(w.ids[it.CallID], model.WireCallID(it.CallID))
		return "user", []block{{Type: "tool_result", ToolUseID: id, IsError: it.IsError, Content: w.result(it)}}
	case model.ToolsAdded:
		return "system", w.definitions(w.told.Added(it))
	case model.Message:
		switch it.Role {
		case model.Assistant:
			return "assistant", contents(it)
		case model.Developer:
			it.Text = "<developer>\n" + it.Text + "\n</developer>"
		}
		return "user", contents(it)
	default:
		return "assistant", nil
	}
}

// result is what stands in a result: references to the deferred tools that it
// found, which the service puts in their place, or else what it says.
func (w *writer) result(it model.Item) []block {
	var refs []block
	for _, t := range w.told.Found(it) {
		refs = append(refs, block{Type: "tool_reference", ToolName: w.names.Flat(t.Namespace, t.Name)})
	}
	if len(refs) > 0 && !it.IsError {
		return refs
	}
	it.Text = model.ResultText(it)
	return contents(it)
}

// definitions tells of tools in the middle of a thread.
func (w *writer) definitions(tools []model.Tool) []block {
	var out []block
	for _, t := range tools {
		w.beta = true
		out = append(out, block{Type: "tool_addition", Tool: &definition{"tool_definition", w.tool(t)}})
	}
	return out
}

// contents leaves out blank text, which the service refuses.
func contents(it model.Item) []block {
	var blocks []block
	if strings.TrimSpace(it.Text) != "" {
		blocks = append(blocks, block{Type: "text", Text: it.Text})
	}
	for _, img := range it.Images {
		blocks = append(blocks, block{Type: "image", Source: &source{"base64", img.MimeType, img.Data}})
	}
	return blocks
}
