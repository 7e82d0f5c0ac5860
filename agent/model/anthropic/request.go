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
// beta says that it needs inlineTools. Messages and tools go in as raw JSON of
// our own, so that replayed blocks stay as they were and schemas keep their
// order.
func project(req model.Request, old bool) (p sdk.MessageNewParams, beta bool, err error) {
	p = sdk.MessageNewParams{Model: req.Model, MaxTokens: defaultMaxTokens}
	if old {
		req.Takes.Late = false
	}
	if req.Options.MaxOutput > 0 {
		p.MaxTokens = int64(req.Options.MaxOutput)
	}
	think(&p, req)
	w := writer{req: req, old: old, names: model.NewToolNames(req), told: model.Telling(req), ids: map[string]string{}}
	if system := req.System + w.groups(); system != "" {
		p.System = []sdk.TextBlockParam{{Text: system, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	tools := w.tools()
	if req.Options.SerialCalls && len(tools) > 0 {
		p.ToolChoice.OfAuto = &sdk.ToolChoiceAutoParam{DisableParallelToolUse: param.NewOpt(true)}
	}
	for _, t := range tools {
		raw, err := json.Marshal(t)
		if err != nil {
			return p, false, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		p.Tools = append(p.Tools, param.Override[sdk.ToolUnionParam](json.RawMessage(raw)))
	}
	msgs, err := w.messages()
	if err != nil {
		return p, false, err
	}
	if len(msgs) > 0 {
		msgs[len(msgs)-1].mark()
	}
	for _, m := range msgs {
		raw, err := json.Marshal(m)
		if err != nil {
			return p, false, fmt.Errorf("message: %w", err)
		}
		p.Messages = append(p.Messages, param.Override[sdk.MessageParam](json.RawMessage(raw)))
	}
	return p, w.beta, nil
}

// Budgets of thinking in tokens, for models before adaptive thinking; ours.
var budgets = map[string]int64{"low": 2_048, "medium": 8_192, "high": 16_384}

// think asks for an effort. Without one, and with "none", the model is left to
// itself; the models that have no adaptive thinking get a budget.
func think(p *sdk.MessageNewParams, req model.Request) {
	effort := req.Options.Effort
	switch {
	case effort == "" || effort == "none":
	case !adaptive(req.Model):
		// It must be less than max_tokens, of which it is a part.
		if budget := min(budgets[effort], p.MaxTokens/2); budget >= 1024 {
			p.Thinking = sdk.ThinkingConfigParamOfEnabled(budget)
		}
	default:
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
	}
}

// adaptive tells whether a model has adaptive thinking: from 4.6 on [known].
func adaptive(name string) bool {
	for _, before := range []string{"claude-3", "-4-0", "-4-1", "-4-5", "-4-2025"} {
		if strings.Contains(name, before) {
			return false
		}
	}
	return true
}
