package openai

import (
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
	options(&p, req)
	w := writer{req: req, names: model.NewToolNames(req), told: model.Telling(req), calls: map[string]callForm{}}
	for _, t := range w.tools(w.told.Listed, false) {
		raw, err := json.Marshal(t)
		if err != nil {
			return p, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		p.Tools = append(p.Tools, param.Override[responses.ToolUnionParam](json.RawMessage(raw)))
	}
	if len(p.Tools) > 0 {
		p.ParallelToolCalls = param.NewOpt(!req.Options.SerialCalls)
	}
	for _, it := range req.Items {
		raws, err := w.item(it)
		if err != nil {
			return p, fmt.Errorf("item %s: %w", it.ID, err)
		}
		for _, raw := range raws {
			p.Input.OfInputItemList = append(p.Input.OfInputItemList, param.Override[responses.ResponseInputItemUnionParam](raw))
		}
	}
	return p, nil
}

func options(p *responses.ResponseNewParams, req model.Request) {
	o := req.Options
	if o.Effort != "" && reasons(req.Model) {
		effort := shared.ReasoningEffort(o.Effort)
		if effort == shared.ReasoningEffortNone && leastIsMinimal(req.Model) {
			effort = shared.ReasoningEffortMinimal
		}
		p.Reasoning = shared.ReasoningParam{Effort: effort, Summary: shared.ReasoningSummaryAuto}
	}
	if o.CacheKey != "" {
		p.PromptCacheKey = param.NewOpt(o.CacheKey)
	}
	if o.MaxOutput > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(o.MaxOutput))
	}
}

// reasons tells whether a model takes include:reasoning.encrypted_content; the
// older families answer 400 to it [known].
func reasons(name string) bool {
	return !strings.HasPrefix(name, "gpt-3") && !strings.HasPrefix(name, "gpt-4") && !strings.HasPrefix(name, "chatgpt-4")
}

// leastIsMinimal tells of the first reasoning family, whose least effort is
// "minimal": it answers 400 to "none" [known].
func leastIsMinimal(name string) bool {
	return name == "gpt-5" || strings.HasPrefix(name, "gpt-5-")
}
