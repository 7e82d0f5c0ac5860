package modeltest

import (
	"fmt"

	"companion/agent/model"
)

// geminiEvents: chunks of parts; a call comes whole, the first with a thought
// signature; the last chunk has finishReason and usage.
func (w *wire) geminiEvents(turn Turn) []string {
	var events []string
	u := turn.Usage
	var grounding obj
	chunk := func(finish string, parts ...any) {
		cand := obj{"index": 0, "content": obj{"role": "model", "parts": parts}}
		c := obj{"candidates": []any{cand}, "modelVersion": "m", "usageMetadata": obj{
			"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached,
			"candidatesTokenCount": u.Output - u.Reasoning, "thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Input + u.Output,
		}}
		if finish != "" {
			cand["finishReason"] = finish
			if grounding != nil {
				cand["groundingMetadata"] = grounding
			}
		}
		events = append(events, quote(c))
	}
	for _, p := range pieces(turn.Reasoning) {
		chunk("", obj{"text": p, "thought": true})
	}
	for i, q := range turn.Searches {
		if !w.offers("function") {
			grounding = obj{"webSearchQueries": []string{q.Query}, "groundingChunks": []any{obj{"web": obj{"uri": q.URL, "title": q.Title}}}}
			continue
		}
		id := fmt.Sprintf("search_%d", i+1)
		chunk("", obj{"toolCall": obj{"id": id, "toolType": "GOOGLE_SEARCH_WEB", "args": obj{"queries": []string{q.Query}}}})
		chunk("", obj{"toolResponse": obj{"id": id, "toolType": "GOOGLE_SEARCH_WEB", "response": obj{"title": q.Title, "url": q.URL}}})
	}
	for _, p := range pieces(turn.Text) {
		chunk("", obj{"text": p})
	}
	calls := turn.Calls
	finish := "STOP"
	switch turn.Stop {
	case model.StopLength:
		finish = "MAX_TOKENS"
		if len(calls) > 0 {
			finish = "MALFORMED_FUNCTION_CALL"
			calls = calls[:len(calls)-1]
		}
	case model.StopRefusal:
		finish = "SAFETY"
	}
	for i, c := range calls {
		part := obj{"functionCall": obj{"id": c.ID, "name": c.Name, "args": rawObject(c.Arguments)}}
		if i == 0 {
			part["thoughtSignature"] = "c2lnbmF0dXJl"
		}
		chunk("", part)
	}
	chunk(finish, obj{"text": ""})
	return events
}
