package modeltest

import (
	"fmt"

	"companion/agent/model"
)

// openaiEvents follows the order of docs: created, then per item added, deltas,
// done, then completed or incomplete.
func openaiEvents(n int, turn Turn) []string {
	var events []string
	send := func(kind string, fields obj) {
		fields["type"] = kind
		fields["sequence_number"] = len(events)
		events = append(events, quote(fields))
	}
	resp := func(status string) obj {
		return obj{"id": fmt.Sprintf("resp_%d", n+1), "object": "response", "status": status, "output": []any{}}
	}
	send("response.created", obj{"response": resp("in_progress")})
	index := 0
	item := func(added, done obj, delta, text string, last bool) {
		added["id"], done["id"] = fmt.Sprintf("%s_%d_%d", added["type"], n+1, index), fmt.Sprintf("%s_%d_%d", added["type"], n+1, index)
		send("response.output_item.added", obj{"output_index": index, "item": added})
		cut := last && turn.Stop == model.StopLength
		if cut {
			text = half(text)
		}
		for _, p := range pieces(text) {
			send(delta, obj{"output_index": index, "item_id": added["id"], "content_index": 0, "delta": p})
		}
		if !cut {
			send("response.output_item.done", obj{"output_index": index, "item": done})
		}
		index++
	}
	if turn.Reasoning != "" {
		item(obj{"type": "reasoning", "summary": []any{}},
			obj{"type": "reasoning", "summary": []any{obj{"type": "summary_text", "text": turn.Reasoning}}, "encrypted_content": fmt.Sprintf("enc-%d", n+1)},
			"response.reasoning_summary_text.delta", turn.Reasoning, false)
	}
	if turn.Text != "" {
		part, delta := obj{"type": "output_text", "text": turn.Text, "annotations": []any{}}, "response.output_text.delta"
		if turn.Stop == model.StopRefusal {
			part, delta = obj{"type": "refusal", "refusal": turn.Text}, "response.refusal.delta"
		}
		item(obj{"type": "message", "role": "assistant", "status": "in_progress", "content": []any{}},
			obj{"type": "message", "role": "assistant", "status": "completed", "content": []any{part}},
			delta, turn.Text, len(turn.Calls) == 0)
	}
	for i, c := range turn.Calls {
		item(obj{"type": "function_call", "status": "in_progress", "call_id": c.ID, "name": c.Name, "arguments": ""},
			obj{"type": "function_call", "status": "completed", "call_id": c.ID, "name": c.Name, "arguments": c.Arguments},
			"response.function_call_arguments.delta", c.Arguments, i == len(turn.Calls)-1)
	}
	end, kind := resp("completed"), "response.completed"
	if turn.Stop == model.StopLength {
		end, kind = resp("incomplete"), "response.incomplete"
		end["incomplete_details"] = obj{"reason": "max_output_tokens"}
	}
	u := turn.Usage
	end["usage"] = obj{
		"input_tokens": u.Input, "input_tokens_details": obj{"cached_tokens": u.Cached},
		"output_tokens": u.Output, "output_tokens_details": obj{"reasoning_tokens": u.Reasoning},
		"total_tokens": u.Input + u.Output,
	}
	send(kind, obj{"response": end})
	return events
}
