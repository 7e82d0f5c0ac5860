package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"companion/agent/model"
)

// reading turns one stream's events into the contract's.
type reading struct {
	e       *model.Emitter
	req     model.Request
	names   model.ToolNames
	ids     *model.IDs
	secrets []string
	open    map[int64]*pending // by output_index: added, not done
	refusal strings.Builder
}

// pending is an item that was added and is not done.
type pending struct {
	item    model.Item
	text    strings.Builder
	preview *model.Preview // of a freeform call that came as a function
}

func newReading(e *model.Emitter, req model.Request, secrets []string) *reading {
	return &reading{
		e: e, req: req, secrets: secrets,
		names: model.NewToolNames(req), ids: model.NewIDs(req.Items), open: map[int64]*pending{},
	}
}

// event handles one event; types it does not know are ignored.
func (r *reading) event(ev responses.ResponseStreamEventUnion) {
	switch ev.Type {
	case "response.output_item.added":
		r.added(ev.OutputIndex, json.RawMessage(ev.Item.RawJSON()))
	case "response.output_text.delta":
		r.delta(model.TextDelta, ev)
	case "response.refusal.delta":
		r.refusal.WriteString(ev.Delta)
		r.delta(model.TextDelta, ev)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.delta(model.ReasoningDelta, ev)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		r.delta(model.CallDelta, ev)
	case "response.output_item.done":
		r.done(ev.OutputIndex, json.RawMessage(ev.Item.RawJSON()))
	case "response.completed":
		r.usage(ev.Response)
		if r.refusal.Len() > 0 {
			r.e.Done(Name, model.StopRefusal, r.refusal.String())
			return
		}
		r.e.Done(Name, model.StopEnd, "")
	case "response.incomplete":
		r.incomplete(ev.Response)
	case "response.failed":
		r.e.Fail(model.Refusal(Name, 0, nil, []byte(ev.Response.RawJSON()), r.secrets))
	case "error":
		r.e.Fail(model.Refusal(Name, 0, nil, []byte(ev.RawJSON()), r.secrets))
	}
}

// wireItem is what of an output item the contract has a place for.
type wireItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Execution string `json:"execution"`
	// Arguments are a string, or an object in tool_search_call.
	Arguments json.RawMessage `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Status    string          `json:"status"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

func (r *reading) added(index int64, raw json.RawMessage) *pending {
	var w wireItem
	_ = json.Unmarshal(raw, &w)
	p := &pending{}
	it := &p.item
	search, searches := r.names.Search()
	switch {
	case w.Type == "message":
		it.Kind, it.Role, it.ID = model.Message, model.Assistant, r.ids.Take(w.ID, "msg")
	case w.Type == "function_call", w.Type == "custom_tool_call", w.Type == "tool_search_call" && w.Execution == "client" && searches:
		t := search
		if w.Type != "tool_search_call" {
			t = r.names.Tool(w.Namespace, w.Name)
		}
		if t.IsFreeform() && w.Type == "function_call" {
			p.preview = &model.Preview{}
		}
		it.Kind, it.Name, it.Namespace = model.ToolCall, t.Name, t.Namespace
		it.ID = r.ids.Take(w.ID, "item")
		it.CallID = r.ids.Take(w.CallID, "call")
	case w.Type == "web_search_call":
		it.Kind, it.Name, it.Hosted = model.ToolCall, webSearch, true
		it.ID = r.ids.Take(w.ID, "ws")
		it.CallID = it.ID
	default: // reasoning, and items we do not know: kept for the replay
		it.Kind, it.ID = model.Reasoning, r.ids.Take(w.ID, "rs")
	}
	r.open[index] = p
	return p
}

func (r *reading) delta(kind model.EventKind, ev responses.ResponseStreamEventUnion) {
	p := r.open[ev.OutputIndex]
	if p == nil {
		return
	}
	p.text.WriteString(ev.Delta)
	text := ev.Delta
	if p.preview != nil {
		text = p.preview.Add(text)
	}
	if kind == model.CallDelta {
		r.e.Call(p.item, text)
		return
	}
	r.e.Delta(kind, p.item.ID, text)
}

// done yields an item from its last form; the one that was added may lack parts.
func (r *reading) done(index int64, raw json.RawMessage) {
	p := r.open[index]
	if p == nil {
		p = r.added(index, raw)
	}
	delete(r.open, index)
	var w wireItem
	_ = json.Unmarshal(raw, &w)
	it, replay := p.item, true
	switch it.Kind {
	case model.Message:
		for _, c := range w.Content {
			it.Text += c.Text + c.Refusal
		}
	case model.ToolCall:
		if it.Arguments = w.arguments(); p.preview != nil {
			it.Arguments = model.FreeformInput(it.Arguments)
		}
		replay = it.Hosted || it.CallID == w.CallID && w.replayable()
	case model.Reasoning:
		for i, s := range w.Summary {
			if i > 0 {
				it.Text += "\n\n"
			}
			it.Text += s.Text
		}
	}
	it.Incomplete = w.Status == "incomplete"
	// An item under an id of ours, or cut off, is not what the service knows.
	if !it.Incomplete && replay {
		it.Raw, it.RawFor = raw, Name+"/"+r.req.Model
	}
	r.e.Item(it)
	if it.Hosted {
		r.e.Item(model.Item{
			Kind: model.ToolReply, ID: r.ids.Take("", "item"), CallID: it.CallID, Name: it.Name, Hosted: true,
			Text: "searched by the service; what it found is in the answer", IsError: w.Status == "failed",
		})
	}
}

// arguments are the bytes of a call of any type.
// replayable tells whether the service takes a call back as it came.
func (w wireItem) replayable() bool {
	switch w.Type {
	case "function_call":
		return model.Replayable(w.Name, []byte(w.arguments()))
	case "custom_tool_call":
		return model.Replayable(w.Name, []byte(`{}`))
	}
	return true
}

func (w wireItem) arguments() string {
	switch w.Type {
	case "custom_tool_call":
		return w.Input
	case "web_search_call":
		return string(model.ArgumentsObject(string(w.Action)))
	}
	var text string
	if json.Unmarshal(w.Arguments, &text) == nil {
		return text
	}
	return string(w.Arguments)
}

func (r *reading) incomplete(resp responses.Response) {
	for _, index := range slices.Sorted(maps.Keys(r.open)) {
		p := r.open[index]
		it := p.item
		it.Incomplete = true
		if it.Hosted {
			continue
		}
		if it.Kind == model.ToolCall {
			it.Arguments = p.text.String()
		} else {
			it.Text = p.text.String()
		}
		if it.Text != "" || it.Kind == model.ToolCall {
			r.e.Item(it)
		}
	}
	r.usage(resp)
	reason := resp.IncompleteDetails.Reason
	if reason == "content_filter" {
		r.e.Done(Name, model.StopRefusal, "the service's content filter stopped the answer")
		return
	}
	r.e.Done(Name, model.StopLength, reason)
}

func (r *reading) usage(resp responses.Response) {
	u := resp.Usage
	r.e.Usage(model.Usage{
		Input: int(u.InputTokens), Cached: int(u.InputTokensDetails.CachedTokens), Written: int(u.InputTokensDetails.CacheWriteTokens),
		Output: int(u.OutputTokens), Reasoning: int(u.OutputTokensDetails.ReasoningTokens),
	})
}
