package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"companion/agent/model"
)

// defaultMaxTokens is max_tokens, which the API requires, when the request sets
// none: the least output limit of the models the SDK lists [known].
const defaultMaxTokens = 32000

// project builds the request; old leaves out fields of the newest API version.
// Messages and tools go in as raw JSON of our own, so that replayed blocks stay
// as they were and schemas keep their order.
func project(req model.Request, old bool) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: req.Model, MaxTokens: defaultMaxTokens}
	o := req.Options
	if o.MaxOutput > 0 {
		p.MaxTokens = int64(o.MaxOutput)
	}
	if o.Effort != "" {
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = sdk.OutputConfigEffort(o.Effort)
	}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if o.SerialCalls && len(req.Tools) > 0 {
		p.ToolChoice.OfAuto = &sdk.ToolChoiceAutoParam{DisableParallelToolUse: param.NewOpt(true)}
	}
	for i, t := range req.Tools {
		raw, err := json.Marshal(toolOf(t, old, i == len(req.Tools)-1))
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		p.Tools = append(p.Tools, param.Override[sdk.ToolUnionParam](json.RawMessage(raw)))
	}
	msgs, err := messages(req)
	if err != nil {
		return p, err
	}
	if len(msgs) > 0 {
		msgs[len(msgs)-1].mark()
	}
	for _, m := range msgs {
		raw, err := json.Marshal(m)
		if err != nil {
			return p, fmt.Errorf("message: %w", err)
		}
		p.Messages = append(p.Messages, param.Override[sdk.MessageParam](json.RawMessage(raw)))
	}
	return p, nil
}

// cache is the mark up to which the service caches a prompt.
type cache struct {
	Type string `json:"type"`
}

type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       bool            `json:"strict,omitempty"`
	Eager        bool            `json:"eager_input_streaming,omitempty"`
	CacheControl *cache          `json:"cache_control,omitempty"`
}

func toolOf(t model.Tool, old, last bool) tool {
	long := t.LongText || t.Grammar != ""
	t = model.FreeformTool(t)
	w := tool{Name: model.FlatName(t.Namespace, t.Name), Description: t.Description, InputSchema: model.ObjectSchema(t.Parameters)}
	if !old {
		w.Strict, w.Eager = model.StrictSchema(t), long
	}
	if last {
		w.CacheControl = &cache{"ephemeral"}
	}
	return w
}

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
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Content   []block         `json:"content,omitempty"`
	Source    *source         `json:"source,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // base64
}

func messages(req model.Request) ([]message, error) {
	var msgs []message
	names := model.NewToolNames(req.Tools)
	verbatim := map[string]bool{}
	for _, it := range req.Items {
		role, blocks := blocksOf(it, names)
		var raws []json.RawMessage
		if it.Raw != nil && it.RawFor == Name+"/"+req.Model {
			raws = []json.RawMessage{it.Raw}
			verbatim[it.CallID] = verbatim[it.CallID] || it.Kind == model.ToolCall
		} else {
			for _, b := range blocks {
				if b.Type == "tool_result" && verbatim[it.CallID] {
					b.ToolUseID = it.CallID
				}
				raw, err := json.Marshal(b)
				if err != nil {
					return nil, fmt.Errorf("item %s: %w", it.ID, err)
				}
				raws = append(raws, raw)
			}
		}
		if len(raws) == 0 {
			continue
		}
		if n := len(msgs); n == 0 || msgs[n-1].Role != role {
			msgs = append(msgs, message{Role: role})
		}
		last := &msgs[len(msgs)-1]
		last.Content = append(last.Content, raws...)
	}
	return msgs, nil
}

// blocksOf is an item in neutral blocks; reasoning has none.
func blocksOf(it model.Item, names model.ToolNames) (role string, blocks []block) {
	flat := model.FlatName(it.Namespace, it.Name)
	switch it.Kind {
	case model.ToolCall:
		input := model.ArgumentsObject(it.Arguments)
		if names.Tool(flat).Grammar != "" {
			input = model.FreeformArguments(it.Arguments)
		}
		return "assistant", []block{{Type: "tool_use", ID: model.WireCallID(it.CallID), Name: flat, Input: input}}
	case model.ToolReply:
		it.Text = model.ResultText(it)
		return "user", []block{{Type: "tool_result", ToolUseID: model.WireCallID(it.CallID), IsError: it.IsError, Content: contents(it)}}
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
