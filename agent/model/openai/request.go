package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"companion/agent/model"
)

// project builds the request. Items and tools go in as raw JSON of our own, so
// that replayed items stay byte for byte and schemas keep their order.
func project(req model.Request) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{
		Model: req.Model,
		Store: param.NewOpt(false),
	}
	if req.System != "" {
		p.Instructions = param.NewOpt(req.System)
	}
	if reasons(req.Model) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	o := req.Options
	if o.Effort != "" {
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(o.Effort), Summary: shared.ReasoningSummaryAuto}
	}
	if o.CacheKey != "" {
		p.PromptCacheKey = param.NewOpt(o.CacheKey)
	}
	if o.MaxOutput > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(o.MaxOutput))
	}
	if len(req.Tools) > 0 {
		p.ParallelToolCalls = param.NewOpt(!o.SerialCalls)
	}
	for _, t := range req.Tools {
		raw, err := json.Marshal(toolOf(t))
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		p.Tools = append(p.Tools, param.Override[responses.ToolUnionParam](json.RawMessage(raw)))
	}
	calls := calls{names: model.NewToolNames(req.Tools), freeform: map[string]bool{}, verbatim: map[string]bool{}}
	for _, it := range req.Items {
		raw, err := itemOf(req, it, calls)
		if err != nil {
			return p, fmt.Errorf("item %s: %w", it.ID, err)
		}
		if raw != nil {
			p.Input.OfInputItemList = append(p.Input.OfInputItemList, param.Override[responses.ResponseInputItemUnionParam](raw))
		}
	}
	return p, nil
}

// reasons tells whether a model takes include:reasoning.encrypted_content; the
// older families answer 400 to it [known].
func reasons(name string) bool {
	return !strings.HasPrefix(name, "gpt-3") && !strings.HasPrefix(name, "gpt-4") && !strings.HasPrefix(name, "chatgpt-4")
}

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Format      *format         `json:"format,omitempty"`
}

type format struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

func toolOf(t model.Tool) tool {
	w := tool{Name: model.FlatName(t.Namespace, t.Name), Description: t.Description}
	if t.Grammar != "" {
		w.Type, w.Format = "custom", &format{"grammar", "lark", t.Grammar}
		return w
	}
	strict := model.StrictSchema(t)
	w.Type, w.Strict, w.Parameters = "function", &strict, model.ObjectSchema(t.Parameters)
	return w
}

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
	Name      string  `json:"name"`
	Arguments *string `json:"arguments,omitempty"`
	Input     *string `json:"input,omitempty"`
}

type output struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // string or []content
}

// calls is what results must know of the calls before them, by call id.
type calls struct {
	names    model.ToolNames
	freeform map[string]bool // custom calls: their results have another type
	verbatim map[string]bool // replayed with the service's own id
}

// itemOf is one input item, nil for what has nothing to say.
func itemOf(req model.Request, it model.Item, calls calls) (json.RawMessage, error) {
	raw := it.Raw
	if it.RawFor != Name+"/"+req.Model {
		raw = nil
	}
	id := it.CallID
	if !calls.verbatim[id] {
		id = model.WireCallID(id)
	}
	flat := model.FlatName(it.Namespace, it.Name)
	if it.Kind == model.ToolCall {
		calls.freeform[it.CallID] = wireType(raw) == "custom_tool_call" || raw == nil && calls.names.Tool(flat).Grammar != ""
		calls.verbatim[it.CallID] = raw != nil
	}
	if raw != nil {
		return raw, nil
	}
	switch it.Kind {
	case model.ToolCall:
		if calls.freeform[it.CallID] {
			return json.Marshal(call{Type: "custom_tool_call", CallID: id, Name: flat, Input: &it.Arguments})
		}
		args := string(model.ArgumentsObject(it.Arguments))
		return json.Marshal(call{Type: "function_call", CallID: id, Name: flat, Arguments: &args})
	case model.ToolReply:
		w := output{Type: "function_call_output", CallID: id, Output: model.ResultText(it)}
		if calls.freeform[it.CallID] {
			w.Type = "custom_tool_call_output"
		}
		if len(it.Images) > 0 {
			w.Output = contents("input_text", it)
		}
		return json.Marshal(w)
	case model.Message:
		kind := "input_text"
		if it.Role == model.Assistant {
			kind = "output_text"
		}
		parts := contents(kind, it)
		if len(parts) == 0 {
			return nil, nil
		}
		return json.Marshal(message{Type: "message", Role: string(cmp.Or(it.Role, model.User)), Content: parts})
	default: // reasoning of another model
		return nil, nil
	}
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

func wireType(raw json.RawMessage) string {
	var head struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(raw, &head)
	return head.Type
}
