package compatible

import (
	"encoding/json"
	"strings"

	"companion/agent/model"
)

// reading gathers one stream's chunks. The wire does not say when an item is
// complete, so items are yielded at the end; deltas at once.
type reading struct {
	e      *model.Emitter
	names  model.ToolNames
	ids    *model.IDs
	think  pending
	answer pending
	calls  []*pending
	finish string // finish_reason, "" while none came
	usage  model.Usage
}

// pending is an item on its way; its id is minted with its first byte.
type pending struct {
	id     string
	text   strings.Builder // text, or arguments
	index  int64
	wireID string
	name   string
	// preview decodes the arguments of a freeform call.
	preview *model.Preview
}

func newReading(e *model.Emitter, req model.Request) *reading {
	return &reading{e: e, names: model.NewToolNames(req), ids: model.NewIDs(req.Items)}
}

// wireChunk is read from the raw JSON: the SDK's type has no reasoning and takes
// arguments only as a string.
type wireChunk struct {
	Choices []struct {
		Delta struct {
			Content          string     `json:"content"`
			Refusal          string     `json:"refusal"`
			ReasoningContent string     `json:"reasoning_content"` // llama.cpp, vLLM, DeepSeek
			Reasoning        string     `json:"reasoning"`         // Ollama, newer vLLM
			ToolCalls        []wireCall `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt        int `json:"prompt_tokens"`
		Completion    int `json:"completion_tokens"`
		PromptDetails struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

type wireCall struct {
	Index    *int64 `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// chunk handles one chunk; fields of other types than known are left out.
func (r *reading) chunk(raw []byte) {
	var c wireChunk
	_ = json.Unmarshal(raw, &c)
	if u := c.Usage; u != nil {
		r.usage = model.Usage{Input: u.Prompt, Cached: u.PromptDetails.Cached, Output: u.Completion, Reasoning: u.CompletionDetails.Reasoning}
	}
	if len(c.Choices) == 0 {
		return
	}
	choice := c.Choices[0]
	d := choice.Delta
	thought := d.ReasoningContent
	if thought == "" {
		thought = d.Reasoning
	}
	r.add(&r.think, model.ReasoningDelta, "rs", thought)
	r.add(&r.answer, model.TextDelta, "msg", d.Content+d.Refusal)
	for _, call := range d.ToolCalls {
		p := r.callFor(call)
		r.add(p, model.CallDelta, "item", argumentText(call.Function.Arguments))
	}
	if choice.FinishReason != "" {
		r.finish = choice.FinishReason
	}
}

func (r *reading) add(p *pending, kind model.EventKind, prefix, text string) {
	if text == "" {
		return
	}
	if p.id == "" {
		p.id = r.ids.Take("", prefix)
	}
	p.text.WriteString(text)
	if kind != model.CallDelta {
		r.e.Delta(kind, p.id, text)
		return
	}
	t := r.names.Tool("", p.name)
	if p.preview == nil && t.IsFreeform() {
		p.preview = &model.Preview{}
	}
	if p.preview != nil {
		text = p.preview.Add(text)
	}
	r.e.Call(model.Item{ID: p.id, Name: t.Name, Namespace: t.Namespace}, text)
}

// callFor is the call that a piece belongs to: by index, and where servers give
// none or the same to all, a piece with a name after complete arguments, or
// with another id, begins a new call.
func (r *reading) callFor(piece wireCall) *pending {
	index := int64(len(r.calls))
	if piece.Index != nil {
		index = *piece.Index
	} else if piece.Function.Name == "" && index > 0 {
		index--
	}
	for i := len(r.calls) - 1; i >= 0; i-- {
		p := r.calls[i]
		if p.index != index {
			continue
		}
		again := piece.Function.Name != "" && (piece.ID != "" && piece.ID != p.wireID || p.text.Len() > 0 && json.Valid([]byte(p.text.String())))
		if again {
			break
		}
		p.wireID = either(p.wireID, piece.ID)
		p.name = either(p.name, piece.Function.Name)
		return p
	}
	p := &pending{index: index, wireID: piece.ID, name: piece.Function.Name}
	r.calls = append(r.calls, p)
	return p
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// argumentText is a piece of arguments: a string as the wire says, or a whole
// object as some servers send.
func argumentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// end yields the items and the end.
func (r *reading) end() {
	cut := r.finish == "length"
	if r.think.id != "" {
		r.e.Item(model.Item{Kind: model.Reasoning, ID: r.think.id, Text: r.think.text.String(), Incomplete: cut && r.answer.id == "" && len(r.calls) == 0})
	}
	if r.answer.id != "" {
		r.e.Item(model.Item{Kind: model.Message, Role: model.Assistant, ID: r.answer.id, Text: r.answer.text.String(), Incomplete: cut && len(r.calls) == 0})
	}
	for i, p := range r.calls {
		r.call(p, cut && i == len(r.calls)-1)
	}
	r.e.Usage(r.usage)
	switch r.finish {
	case "length":
		r.e.Done(Name, model.StopLength, "")
	case "content_filter":
		r.e.Done(Name, model.StopRefusal, "the service's content filter stopped the answer")
	default:
		r.e.Done(Name, model.StopEnd, "")
	}
}

func (r *reading) call(p *pending, cut bool) {
	if p.id == "" {
		p.id = r.ids.Take("", "item")
	}
	t := r.names.Tool("", p.name)
	it := model.Item{
		Kind: model.ToolCall, ID: p.id, CallID: r.ids.Take(p.wireID, "call"),
		Name: t.Name, Namespace: t.Namespace, Arguments: p.text.String(), Incomplete: cut,
	}
	if it.Arguments == "" && !cut {
		it.Arguments = "{}"
	}
	if t.IsFreeform() {
		it.Arguments = model.FreeformInput(it.Arguments)
	}
	r.e.Item(it)
}
