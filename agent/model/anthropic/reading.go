package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"companion/agent/model"
	"companion/agent/model/subset"
)

// reading turns one stream's events into the contract's.
type reading struct {
	e     *model.Emitter
	req   model.Request
	names model.ToolNames
	ids   *model.IDs
	open  map[int64]*pending // by block index
	// held is the last block that ended: only the stop reason, which comes
	// after it, tells whether the output limit cut it off.
	held   *pending
	usage  model.Usage
	stop   sdk.StopReason
	detail string
}

// pending is a content block on its way.
type pending struct {
	item      model.Item
	wireID    string
	start     map[string]json.RawMessage // the block as it started
	text      strings.Builder            // text or thinking
	signature string
	input     strings.Builder // partial JSON, as it came
	preview   *model.Preview  // of a freeform call
	citations []json.RawMessage
}

func newReading(e *model.Emitter, req model.Request) *reading {
	return &reading{e: e, req: req, names: model.NewToolNames(req), ids: model.NewIDs(req.Items), open: map[int64]*pending{}}
}

// event handles one event; types it does not know are ignored.
func (r *reading) event(ev sdk.MessageStreamEventUnion) {
	switch ev.Type {
	case "message_start":
		u := ev.Message.Usage
		r.tokens(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
	case "content_block_start":
		r.start(ev.Index, ev.ContentBlock)
	case "content_block_delta":
		if p := r.open[ev.Index]; p != nil {
			r.delta(p, ev.Delta)
		}
	case "content_block_stop":
		if p := r.open[ev.Index]; p != nil {
			delete(r.open, ev.Index)
			r.release(false)
			r.held = p
		}
	case "message_delta":
		u := ev.Usage
		r.tokens(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
		if ev.Delta.StopReason != "" {
			r.stop = ev.Delta.StopReason
		}
		if d := ev.Delta.StopDetails; d.Category != "" || d.Explanation != "" {
			r.detail = strings.TrimPrefix(string(d.Category)+": "+d.Explanation, ": ")
		}
	case "message_stop":
		r.end()
	}
}

func (r *reading) start(index int64, b sdk.ContentBlockStartEventContentBlockUnion) {
	p := &pending{wireID: b.ID, start: map[string]json.RawMessage{}}
	_ = json.Unmarshal([]byte(b.RawJSON()), &p.start)
	it := &p.item
	switch b.Type {
	case "text":
		it.Kind, it.Role, it.ID = model.Message, model.Assistant, r.ids.Take("", "msg")
	case "tool_use":
		t := r.names.Tool("", b.Name)
		it.Kind, it.Name, it.Namespace = model.ToolCall, t.Name, t.Namespace
		it.ID, it.CallID = r.ids.Take("", "item"), r.ids.Take(b.ID, "toolu")
		if t.IsFreeform() {
			p.preview = &model.Preview{}
		}
	case "server_tool_use":
		it.Kind, it.Name, it.Hosted = model.ToolCall, b.Name, true
		it.ID, it.CallID = r.ids.Take("", "item"), r.ids.Take(b.ID, "srvtoolu")
	case "web_search_tool_result":
		it.Kind, it.Name, it.Hosted, it.CallID = model.ToolReply, webSearch, true, b.ToolUseID
		it.ID = r.ids.Take("", "item")
		it.Text = searched(p.start["content"])
		it.IsError = strings.Contains(string(p.start["content"]), `"web_search_tool_result_error"`)
	default: // thinking, and blocks we do not know: kept for the replay
		it.Kind, it.ID = model.Reasoning, r.ids.Take("", "rs")
	}
	r.open[index] = p
	r.text(p, b.Text+b.Thinking)
	p.signature = b.Signature
}

func (r *reading) delta(p *pending, d sdk.MessageStreamEventUnionDelta) {
	switch d.Type {
	case "text_delta":
		r.text(p, d.Text)
	case "thinking_delta":
		r.text(p, d.Thinking)
	case "signature_delta":
		p.signature += d.Signature
	case "citations_delta":
		p.citations = append(p.citations, json.RawMessage(d.Citation.RawJSON()))
	case "input_json_delta":
		p.input.WriteString(d.PartialJSON)
		if p.item.Kind == model.ToolCall {
			piece := d.PartialJSON
			if p.preview != nil {
				piece = p.preview.Add(piece)
			}
			r.e.Call(p.item, piece)
		}
	}
}

func (r *reading) text(p *pending, text string) {
	p.text.WriteString(text)
	kind := model.ReasoningDelta
	if p.item.Kind == model.Message {
		kind = model.TextDelta
	}
	r.e.Delta(kind, p.item.ID, text)
}

// release yields the held block; cut says that the output limit ended it.
func (r *reading) release(cut bool) {
	p := r.held
	if p == nil {
		return
	}
	r.held = nil
	it := p.item
	if it.Kind != model.ToolReply {
		it.Text = p.text.String()
	}
	if it.Kind == model.Message && it.Text == "" {
		return
	}
	it.Incomplete = cut
	raw := p.raw()
	if it.Kind == model.ToolCall {
		it.Arguments = p.input.String()
		if it.Arguments == "" && !cut {
			it.Arguments = string(p.start["input"]) // no arguments, or all at the start
		}
		if p.preview != nil {
			it.Arguments = model.FreeformInput(it.Arguments)
		} else if _, keys := subset.Keys(subset.Of(subset.Plain, r.names.Of(it.Namespace, it.Name).Parameters)); len(keys) > 0 {
			it.Arguments = string(subset.Rename(json.RawMessage(it.Arguments), keys))
		}
		if it.CallID != p.wireID && !it.Hosted || cut {
			raw = nil
		}
		var name string
		if _ = json.Unmarshal(p.start["name"], &name); !it.Hosted && !model.Replayable(name, p.start["input"]) {
			raw = nil
		}
	}
	if raw != nil {
		it.Raw, it.RawFor = raw, Name+"/"+r.req.Model
	}
	r.e.Item(it)
}

// raw is the block as it must be sent back, nil when it cannot be: an input
// that is no JSON object, thinking without its signature.
func (p *pending) raw() json.RawMessage {
	set := func(key string, v any) {
		if b, err := json.Marshal(v); err == nil {
			p.start[key] = b
		}
	}
	if p.input.Len() > 0 {
		input := json.RawMessage(p.input.String())
		if !json.Valid(input) {
			return nil
		}
		p.start["input"] = input
	}
	switch string(p.start["type"]) {
	case `"text"`:
		set("text", p.text.String())
		if len(p.citations) > 0 {
			set("citations", p.citations)
		}
	case `"thinking"`:
		if p.signature == "" {
			return nil
		}
		set("thinking", p.text.String())
		set("signature", p.signature)
	}
	raw, err := json.Marshal(p.start)
	if err != nil {
		return nil
	}
	return raw
}

func (r *reading) end() {
	stop := model.StopEnd
	switch r.stop {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		stop, r.detail = model.StopLength, string(r.stop)
	case sdk.StopReasonRefusal:
		stop = model.StopRefusal
		if r.detail == "" {
			r.detail = "the model refused to answer"
		}
	case sdk.StopReasonPauseTurn:
		stop = model.StopPause
	}
	r.release(stop == model.StopLength)
	r.e.Usage(r.usage)
	r.e.Done(Name, stop, r.detail)
}

// tokens keeps the largest of the cumulative counts: not every event has all.
func (r *reading) tokens(input, read, written, output, thinking int64) {
	u := &r.usage
	u.Input = max(u.Input, int(input+read+written))
	u.Cached = max(u.Cached, int(read))
	u.Written = max(u.Written, int(written))
	u.Output = max(u.Output, int(output))
	u.Reasoning = max(u.Reasoning, int(thinking))
}

// searched says in words what the service's search found.
func searched(content json.RawMessage) string {
	var found []struct {
		Title string `json:"title"`
		URL   string `json:"url"`
	}
	if json.Unmarshal(content, &found) != nil {
		return "the service's search failed: " + string(content)
	}
	var out strings.Builder
	for _, f := range found {
		out.WriteString(f.Title + " " + f.URL + "\n")
	}
	if out.Len() == 0 {
		return "searched by the service; nothing was found"
	}
	return strings.TrimSuffix(out.String(), "\n")
}
