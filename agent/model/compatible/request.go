package compatible

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"companion/agent/model"
	"companion/agent/model/subset"
)

// project builds the request, with only the fields that every server of this
// wire knows. Messages and tools go in as raw JSON of our own, so that schemas
// keep their order.
func project(req model.Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{Model: req.Model}
	p.StreamOptions.IncludeUsage = param.NewOpt(true)
	o := req.Options
	if o.MaxOutput > 0 {
		p.MaxTokens = param.NewOpt(int64(o.MaxOutput))
	}
	if o.Effort != "" {
		p.ReasoningEffort = shared.ReasoningEffort(o.Effort)
	}
	if o.SerialCalls && len(req.Tools) > 0 {
		p.ParallelToolCalls = param.NewOpt(false)
	}
	req.Takes = model.Takes{} // the wire has functions alone
	names := model.NewToolNames(req)
	for _, t := range model.Functions(model.Telling(req).Listed) {
		raw, err := json.Marshal(tool{"function", function{names.Flat(t.Namespace, t.Name), t.Description, subset.Of(subset.Plain, t.Parameters)}})
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		p.Tools = append(p.Tools, param.Override[openai.ChatCompletionToolUnionParam](json.RawMessage(raw)))
	}
	for _, m := range messages(req, names) {
		raw, err := json.Marshal(m)
		if err != nil {
			return p, fmt.Errorf("message: %w", err)
		}
		p.Messages = append(p.Messages, param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(raw)))
	}
	return p, nil
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type message struct {
	Role       string `json:"role"`
	Content    any    `json:"content"` // string, []part, or null beside calls
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// messages is the thread. Neighbours of one role are joined, since the chat
// templates of many local models want the roles to take turns; our own text in
// the middle goes as the user's, since they take a system message only first.
func messages(req model.Request, names model.ToolNames) []message {
	var msgs []message
	if req.System != "" {
		msgs = append(msgs, message{Role: "system", Content: req.System})
	}
	var shown []model.Image // of results, whose content can only be text
	for i, it := range req.Items {
		if it.Hosted {
			continue
		}
		switch it.Kind {
		case model.Message:
			msgs = say(msgs, it)
		case model.ToolCall:
			if n := len(msgs); n == 0 || msgs[n-1].Role != "assistant" {
				msgs = append(msgs, message{Role: "assistant"})
			}
			last := &msgs[len(msgs)-1]
			last.ToolCalls = append(last.ToolCalls, callOf(it, names))
		case model.ToolReply:
			text := it.Text
			if text == "" && len(it.Images) > 0 {
				text = "(see the image below)"
			}
			it.Text = text
			msgs = append(msgs, message{Role: "tool", Content: model.ResultText(it), ToolCallID: model.WireCallID(it.CallID)})
			shown = append(shown, it.Images...)
		}
		if len(shown) > 0 && (i+1 == len(req.Items) || req.Items[i+1].Kind != model.ToolReply) {
			msgs = say(msgs, model.Item{Role: model.User, Text: "Images of the results above:", Images: shown})
			shown = nil
		}
	}
	return msgs
}

func callOf(it model.Item, names model.ToolNames) call {
	c := call{ID: model.WireCallID(it.CallID), Type: "function"}
	c.Function.Name = names.Flat(it.Namespace, it.Name)
	c.Function.Arguments = string(model.CallArguments(names.Of(it.Namespace, it.Name), it))
	return c
}

// say appends a message's text and images; one with neither says nothing.
func say(msgs []message, it model.Item) []message {
	role := "user"
	switch it.Role {
	case model.Assistant:
		role = "assistant"
	case model.Developer:
		it.Text = "<developer>\n" + it.Text + "\n</developer>"
	}
	var parts []part
	if strings.TrimSpace(it.Text) != "" {
		parts = append(parts, part{Type: "text", Text: it.Text})
	}
	for _, img := range it.Images {
		parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{"data:" + img.MimeType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)}})
	}
	if len(parts) == 0 {
		return msgs
	}
	if n := len(msgs); n > 0 && msgs[n-1].Role == role && msgs[n-1].ToolCalls == nil {
		msgs[n-1].Content = join(msgs[n-1].Content, parts)
		return msgs
	}
	return append(msgs, message{Role: role, Content: join(nil, parts)})
}

// join is content and parts as one: a string while all is text, which is what
// the most servers take.
func join(content any, parts []part) any {
	var all []part
	switch c := content.(type) {
	case string:
		all = append(all, part{Type: "text", Text: c})
	case []part:
		all = append(all, c...)
	}
	all = append(all, parts...)
	texts := make([]string, 0, len(all))
	for _, p := range all {
		if p.Type != "text" {
			return all
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n\n")
}
