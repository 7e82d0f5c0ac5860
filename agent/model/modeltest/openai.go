package modeltest

import (
	"fmt"

	"companion/agent/model"
)

// openaiEvents follows the order of docs: created, then per item added, deltas,
// done, then completed or incomplete.
func (w *wire) openaiEvents(n int, turn Turn) []string {
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
	for _, q := range turn.Searches {
		item(obj{"type": "web_search_call", "status": "in_progress", "action": obj{"type": "search", "query": q.Query}},
			obj{"type": "web_search_call", "status": "completed", "action": obj{"type": "search", "query": q.Query}}, "", "", false)
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
		added, done, delta, text := w.openaiCall(c)
		item(added, done, delta, text, i == len(turn.Calls)-1)
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

// openaiCall is a call in the form in which the request told of its tool.
func (w *wire) openaiCall(c Call) (added, done obj, delta, text string) {
	d := w.find(c)
	if d == nil {
		d = &declared{name: c.Name, form: "function"}
		if c.Input != "" {
			d.form = "custom"
		}
	}
	added, done = obj{"call_id": c.ID, "name": d.name}, obj{"call_id": c.ID, "name": d.name}
	if d.namespace != "" {
		added["namespace"], done["namespace"] = d.namespace, d.namespace
	}
	key := "arguments"
	switch d.form {
	case "custom":
		key, delta, text = "input", "response.custom_tool_call_input.delta", c.Input
		if text == "" {
			text = model.FreeformInput(c.Arguments)
		}
		added["type"], done["type"], done[key] = "custom_tool_call", "custom_tool_call", text
	case "search":
		delete(added, "name")
		delete(done, "name")
		added["type"], done["type"] = "tool_search_call", "tool_search_call"
		added["execution"], done["execution"], done[key] = "client", "client", rawObject(c.Arguments)
	default:
		delta, text = "response.function_call_arguments.delta", c.arguments()
		added["type"], done["type"], done[key] = "function_call", "function_call", text
	}
	added[key], added["status"], done["status"] = "", "in_progress", "completed"
	return added, done, delta, text
}
