package gemini

import (
	"cmp"
	"encoding/json"
	"strings"

	"companion/agent/model"
)

// reading turns one stream's chunks into the contract's events. Neighbouring
// parts of one kind are one item, whose Raw is the list of them.
type reading struct {
	e       *model.Emitter
	req     model.Request
	names   model.ToolNames
	ids     *model.IDs
	open    *group
	usage   model.Usage
	finish  string // finishReason, "" while none came
	says    string // finishMessage
	blocked string // why the prompt was blocked
	// searched: a search of the service is told of; its grounding, which comes
	// again with chunk after chunk, is no other.
	searched bool
	hosted   string // call id of the last call that the service ran
}

// group is an item on its way.
type group struct {
	item model.Item
	text strings.Builder
	raw  []json.RawMessage
}

func newReading(e *model.Emitter, req model.Request) *reading {
	return &reading{e: e, req: req, names: namesOf(req), ids: model.NewIDs(req.Items)}
}

type wireChunk struct {
	Candidates []struct {
		Content struct {
			Parts []json.RawMessage `json:"parts"`
		} `json:"content"`
		Grounding struct {
			Queries []string `json:"webSearchQueries"`
			Chunks  []struct {
				Web struct {
					URI   string `json:"uri"`
					Title string `json:"title"`
				} `json:"web"`
			} `json:"groundingChunks"`
		} `json:"groundingMetadata"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt   int `json:"promptTokenCount"`
		Cached   int `json:"cachedContentTokenCount"`
		Answer   int `json:"candidatesTokenCount"`
		Thoughts int `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
}

type wirePart struct {
	Text             *string `json:"text"`
	Thought          bool    `json:"thought"`
	ThoughtSignature string  `json:"thoughtSignature"`
	FunctionCall     *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	// ToolCall and ToolResponse are of tools that the service ran.
	ToolCall *struct {
		ID   string          `json:"id"`
		Args json.RawMessage `json:"args"`
	} `json:"toolCall"`
	ToolResponse *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"toolResponse"`
}

// chunk handles one chunk; what it does not know is ignored.
func (r *reading) chunk(raw []byte) {
	var c wireChunk
	_ = json.Unmarshal(raw, &c)
	if u := c.Usage; u != nil {
		r.usage = model.Usage{Input: u.Prompt, Cached: u.Cached, Output: u.Answer + u.Thoughts, Reasoning: u.Thoughts}
	}
	r.blocked = cmp.Or(r.blocked, c.PromptFeedback.BlockReasonMessage, c.PromptFeedback.BlockReason)
	if len(c.Candidates) == 0 {
		return
	}
	cand := c.Candidates[0]
	for _, p := range cand.Content.Parts {
		r.part(p)
	}
	if g := cand.Grounding; len(g.Queries) > 0 && !r.searched {
		text := "searched by the service"
		for _, c := range g.Chunks {
			text += "\n" + c.Web.Title + " " + c.Web.URI
		}
		r.close(false)
		args, _ := json.Marshal(map[string][]string{"queries": g.Queries})
		id := r.ids.Take("", "search")
		r.e.Item(model.Item{Kind: model.ToolCall, ID: r.ids.Take("", "item"), CallID: id, Name: webSearch, Hosted: true, Arguments: string(args)})
		r.e.Item(model.Item{Kind: model.ToolReply, ID: r.ids.Take("", "item"), CallID: id, Name: webSearch, Hosted: true, Text: text})
		r.searched = true
	}
	r.finish = cmp.Or(cand.FinishReason, r.finish)
	r.says = cmp.Or(cand.FinishMessage, r.says)
}

func (r *reading) part(raw json.RawMessage) {
	var p wirePart
	_ = json.Unmarshal(raw, &p)
	switch {
	case p.FunctionCall != nil:
		r.close(false)
		t := r.names.Tool("", p.FunctionCall.Name)
		it := model.Item{Kind: model.ToolCall, ID: r.ids.Take("", "item"), CallID: r.ids.Take(p.FunctionCall.ID, "call"), Name: t.Name, Namespace: t.Namespace}
		r.open = &group{item: it, raw: []json.RawMessage{raw}}
		args := string(p.FunctionCall.Args)
		if args == "" || args == "null" {
			args = "{}"
		}
		if t.IsFreeform() {
			args = model.FreeformInput(args)
		}
		r.add(model.CallDelta, args)
		r.close(false)
	case p.ToolCall != nil:
		r.hosted, r.searched = r.ids.Take(p.ToolCall.ID, "search"), true
		r.whole(raw, model.Item{Kind: model.ToolCall, Arguments: string(model.ArgumentsObject(string(p.ToolCall.Args)))})
	case p.ToolResponse != nil && r.hosted != "":
		r.whole(raw, model.Item{Kind: model.ToolReply, Text: cmp.Or(string(p.ToolResponse.Response), "searched by the service")})
	case p.Text != nil && *p.Text == "" && p.ThoughtSignature == "":
		return
	case p.Text != nil && *p.Text == "" && r.open != nil:
		r.open.raw = append(r.open.raw, raw)
	case p.Text != nil && *p.Text != "" && !p.Thought:
		r.enter(model.Message, "msg")
		r.open.raw = append(r.open.raw, raw)
		r.add(model.TextDelta, *p.Text)
	default: // thoughts, lone signatures, and parts we do not know: kept for the replay
		r.enter(model.Reasoning, "rs")
		r.open.raw = append(r.open.raw, raw)
		if p.Text != nil {
			r.add(model.ReasoningDelta, *p.Text)
		}
	}
}

// whole yields one half of a call that the service ran.
func (r *reading) whole(raw json.RawMessage, it model.Item) {
	r.close(false)
	it.ID, it.CallID, it.Name, it.Hosted = r.ids.Take("", "item"), r.hosted, webSearch, true
	args := it.Arguments
	r.open = &group{item: it, raw: []json.RawMessage{raw}}
	r.open.text.WriteString(args)
	r.close(false)
}

func (r *reading) enter(kind model.ItemKind, prefix string) {
	if r.open != nil && r.open.item.Kind == kind {
		return
	}
	r.close(false)
	r.open = &group{item: model.Item{Kind: kind, ID: r.ids.Take("", prefix)}}
	if kind == model.Message {
		r.open.item.Role = model.Assistant
	}
}

func (r *reading) add(kind model.EventKind, text string) {
	r.open.text.WriteString(text)
	if kind == model.CallDelta {
		r.e.Call(r.open.item, text)
		return
	}
	r.e.Delta(kind, r.open.item.ID, text)
}

// close yields the open item; cut says that the output limit ended it.
func (r *reading) close(cut bool) {
	g := r.open
	if g == nil {
		return
	}
	r.open = nil
	it := g.item
	it.Incomplete = cut
	if it.Kind == model.ToolCall {
		it.Arguments = g.text.String()
	} else if it.Kind != model.ToolReply {
		it.Text = g.text.String()
	}
	if raw, err := json.Marshal(g.raw); err == nil {
		it.Raw, it.RawFor = raw, Name+"/"+r.req.Model
	}
	r.e.Item(it)
}

// end yields the last item and the end.
func (r *reading) end() {
	stop, detail := model.StopEnd, ""
	switch r.finish {
	case "STOP", "FINISH_REASON_UNSPECIFIED", "":
	case "MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "CONTINUATION":
		stop, detail = model.StopLength, cmp.Or(r.says, r.finish)
	default:
		stop, detail = model.StopRefusal, cmp.Or(r.says, "the service stopped the answer: "+r.finish)
	}
	if r.finish == "" {
		stop, detail = model.StopRefusal, "the service blocked the question: "+r.blocked
	}
	r.close(r.finish == "MAX_TOKENS")
	r.e.Usage(r.usage)
	r.e.Done(Name, stop, detail)
}
