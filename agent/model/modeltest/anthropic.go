package modeltest

import (
	"fmt"

	"companion/agent/model"
)

// anthropicEvents: message_start, the content blocks, message_delta with the
// stop reason and the usage, message_stop; a ping in between.
func anthropicEvents(n int, turn Turn) []string {
	var events []string
	send := func(kind string, fields obj) {
		fields["type"] = kind
		events = append(events, quote(fields))
	}
	u := turn.Usage
	send("message_start", obj{"message": obj{
		"id": fmt.Sprintf("msg_%d", n+1), "type": "message", "role": "assistant", "model": "m", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": obj{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0, "output_tokens": 1},
	}})
	send("ping", obj{})
	index := 0
	block := func(start obj, deltas ...obj) {
		send("content_block_start", obj{"index": index, "content_block": start})
		for _, d := range deltas {
			send("content_block_delta", obj{"index": index, "delta": d})
		}
		send("content_block_stop", obj{"index": index})
		index++
	}
	if turn.Reasoning != "" {
		var deltas []obj
		for _, p := range pieces(turn.Reasoning) {
			deltas = append(deltas, obj{"type": "thinking_delta", "thinking": p})
		}
		deltas = append(deltas, obj{"type": "signature_delta", "signature": fmt.Sprintf("sig-%d", n+1)})
		block(obj{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	for i, q := range turn.Searches {
		id := fmt.Sprintf("srvtoolu_%d_%d", n+1, i+1)
		block(obj{"type": "server_tool_use", "id": id, "name": "web_search", "input": obj{}}, obj{"type": "input_json_delta", "partial_json": quote(obj{"query": q.Query})})
		block(obj{"type": "web_search_tool_result", "tool_use_id": id, "content": []any{
			obj{"type": "web_search_result", "title": q.Title, "url": q.URL, "encrypted_content": "enc-found"},
		}})
	}
	if turn.Text != "" {
		var deltas []obj
		for _, p := range pieces(turn.Text) {
			deltas = append(deltas, obj{"type": "text_delta", "text": p})
		}
		block(obj{"type": "text", "text": ""}, deltas...)
	}
	for i, c := range turn.Calls {
		args := c.Arguments
		if turn.Stop == model.StopLength && i == len(turn.Calls)-1 {
			args = half(args)
		}
		deltas := []obj{{"type": "input_json_delta", "partial_json": ""}}
		for _, p := range pieces(args) {
			deltas = append(deltas, obj{"type": "input_json_delta", "partial_json": p})
		}
		block(obj{"type": "tool_use", "id": c.ID, "name": c.Name, "input": obj{}}, deltas...)
	}
	stop := obj{"stop_reason": "end_turn", "stop_sequence": nil}
	switch {
	case turn.Stop == model.StopLength:
		stop["stop_reason"] = "max_tokens"
	case turn.Stop == model.StopRefusal:
		stop["stop_reason"] = "refusal"
		stop["stop_details"] = obj{"type": "refusal", "category": "cyber", "explanation": turn.Text}
	case turn.Stop == model.StopPause:
		stop["stop_reason"] = "pause_turn"
	case len(turn.Calls) > 0:
		stop["stop_reason"] = "tool_use"
	}
	send("message_delta", obj{"delta": stop, "usage": obj{
		"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0,
		"output_tokens": u.Output, "output_tokens_details": obj{"thinking_tokens": u.Reasoning},
	}})
	send("message_stop", obj{})
	return events
}
