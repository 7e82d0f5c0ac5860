package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"companion/agent/model"
)

// project builds the request. Contents and tools go in as raw JSON of our own,
// so that replayed parts stay as they were and schemas keep their order.
func project(req model.Request) (*genai.GenerateContentConfig, error) {
	contents, err := contentsOf(req)
	if err != nil {
		return nil, err
	}
	c := &genai.GenerateContentConfig{AutomaticContinuation: genai.Ptr(false)}
	if req.System != "" {
		c.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	if req.Options.MaxOutput > 0 {
		c.MaxOutputTokens = int32(min(req.Options.MaxOutput, 1<<30))
	}
	think(c, req)
	req.Takes = model.Takes{} // functions alone
	tools := toolsOf(req)
	if len(tools) > 0 {
		c.ToolConfig = toolConfig(tools)
	}
	c.HTTPOptions = &genai.HTTPOptions{ExtrasRequestProvider: func(body map[string]any) map[string]any {
		body["contents"] = contents
		if tools != nil {
			body["tools"] = tools
		}
		return body
	}}
	return c, nil
}

// content is one turn; neighbours of one role are joined, results apart from
// what the user says, so that a step's results stand together.
type content struct {
	Role    string            `json:"role"`
	Parts   []json.RawMessage `json:"parts"`
	results bool
}

type part struct {
	Text             string    `json:"text,omitempty"`
	ThoughtSignature string    `json:"thoughtSignature,omitempty"`
	FunctionCall     *call     `json:"functionCall,omitempty"`
	FunctionResponse *response `json:"functionResponse,omitempty"`
	InlineData       *blob     `json:"inlineData,omitempty"`
}

type call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type response struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
	Parts    []part            `json:"parts,omitempty"`
}

type blob struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"` // base64
}

// noSignature stands for the signature that a call of another model lacks: from
// Gemini 3 on a call without one is refused, and this text is taken [known].
const noSignature = "skip_thought_signature_validator"

func contentsOf(req model.Request) ([]content, error) {
	var out []content
	names := namesOf(req)
	wireIDs := map[string]string{} // of replayed calls; others have none
	used := map[string]bool{}      // ids on the wire
	for i, it := range req.Items {
		role, parts := partsOf(it, names)
		results := it.Kind == model.ToolReply && !it.Hosted
		var raws []json.RawMessage
		if it.Raw != nil && it.RawFor == Name+"/"+req.Model {
			if err := json.Unmarshal(it.Raw, &raws); err != nil {
				return nil, fmt.Errorf("item %s: %w", it.ID, err)
			}
			if !it.Hosted && it.Kind == model.ToolCall {
				flat := names.Flat(it.Namespace, it.Name)
				for i := range raws {
					raws[i] = callable(raws[i], flat, used)
				}
				id := idOf(raws)
				wireIDs[it.CallID] = id
				used[id] = id != ""
			}
		} else {
			for _, p := range parts {
				if p.FunctionResponse != nil {
					p.FunctionResponse.ID = wireIDs[it.CallID]
				}
				first := i == 0 || req.Items[i-1].Kind != model.ToolCall
				if p.FunctionCall != nil && first && !strings.HasPrefix(req.Model, "gemini-1") && !strings.HasPrefix(req.Model, "gemini-2") {
					p.ThoughtSignature = noSignature
				}
				raw, err := json.Marshal(p)
				if err != nil {
					return nil, fmt.Errorf("item %s: %w", it.ID, err)
				}
				raws = append(raws, raw)
			}
		}
		if len(raws) == 0 {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Role != role || out[n-1].results != results {
			out = append(out, content{Role: role, results: results})
		}
		last := &out[len(out)-1]
		last.Parts = append(last.Parts, raws...)
	}
	return out, nil
}

// callable is a replayed part that the service takes back: a call whose name has
// no form of one gets that of its result, and an id that another call has too is left
// out. Any other part stays as it was.
func callable(raw json.RawMessage, name string, used map[string]bool) json.RawMessage {
	var p map[string]json.RawMessage
	var c map[string]json.RawMessage
	var id, called string
	if json.Unmarshal(raw, &p) != nil || json.Unmarshal(p["functionCall"], &c) != nil {
		return raw
	}
	_ = json.Unmarshal(c["id"], &id)
	_ = json.Unmarshal(c["name"], &called)
	legal := called != "" && called == name || model.Replayable(called, []byte(`{}`))
	if legal && !used[id] {
		return model.PairedEscapes(raw)
	}
	if used[id] || id == "" {
		delete(c, "id")
	}
	if !legal {
		c["name"], _ = json.Marshal(name)
	}
	var err error
	if p["functionCall"], err = json.Marshal(c); err != nil {
		return raw
	}
	out, err := json.Marshal(p)
	if err != nil {
		return raw
	}
	return model.PairedEscapes(out)
}

func idOf(raws []json.RawMessage) string {
	for _, raw := range raws {
		var p wirePart
		if json.Unmarshal(raw, &p) == nil && p.FunctionCall != nil {
			return p.FunctionCall.ID
		}
	}
	return ""
}

// partsOf is an item in neutral parts; reasoning has none.
func partsOf(it model.Item, names model.ToolNames) (role string, parts []part) {
	if it.Hosted {
		return "model", nil
	}
	flat := names.Flat(it.Namespace, it.Name)
	switch it.Kind {
	case model.ToolCall:
		return "model", []part{{FunctionCall: &call{flat, model.CallArguments(names.Of(it.Namespace, it.Name), it)}}}
	case model.ToolReply:
		key := "output"
		if it.IsError {
			key = "error"
		}
		r := &response{Name: flat, Response: map[string]string{key: model.ResultText(it)}}
		for _, img := range it.Images {
			r.Parts = append(r.Parts, part{InlineData: &blob{img.MimeType, img.Data}})
		}
		return "user", []part{{FunctionResponse: r}}
	case model.Message:
		role = "user"
		switch it.Role {
		case model.Assistant:
			role = "model"
		case model.Developer:
			it.Text = "<developer>\n" + it.Text + "\n</developer>"
		}
		if it.Text != "" {
			parts = append(parts, part{Text: it.Text})
		}
		for _, img := range it.Images {
			parts = append(parts, part{InlineData: &blob{img.MimeType, img.Data}})
		}
		return role, parts
	default:
		return "model", nil
	}
}
