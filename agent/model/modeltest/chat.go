package modeltest

import (
	"fmt"

	"companion/agent/model"
)

// chatEvents: chunks of Chat Completions, a last one with usage, then [DONE].
func chatEvents(n int, turn Turn) []string {
	var events []string
	chunk := func(choices []any, usage any) {
		c := obj{"id": fmt.Sprintf("chatcmpl-%d", n+1), "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
		if usage != nil {
			c["usage"] = usage
		}
		events = append(events, quote(c))
	}
	delta := func(d obj, finish any) {
		chunk([]any{obj{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(obj{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(turn.Reasoning) {
		delta(obj{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(turn.Text) {
		delta(obj{"content": p}, nil)
	}
	for i, c := range turn.Calls {
		delta(obj{"tool_calls": []any{obj{"index": i, "id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": ""}}}}, nil)
		args := c.Arguments
		if turn.Stop == model.StopLength && i == len(turn.Calls)-1 {
			args = half(args)
		}
		for _, p := range pieces(args) {
			delta(obj{"tool_calls": []any{obj{"index": i, "function": obj{"arguments": p}}}}, nil)
		}
	}
	finish := "stop"
	switch {
	case turn.Stop == model.StopLength:
		finish = "length"
	case turn.Stop == model.StopRefusal:
		finish = "content_filter"
	case len(turn.Calls) > 0:
		finish = "tool_calls"
	}
	delta(obj{}, finish)
	u := turn.Usage
	chunk([]any{}, obj{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": obj{"cached_tokens": u.Cached}, "completion_tokens_details": obj{"reasoning_tokens": u.Reasoning},
	})
	return append(events, "[DONE]")
}
