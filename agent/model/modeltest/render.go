package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// obj is a JSON object of a wire.
type obj = map[string]any

// render is a turn as the bytes of the vendor's event stream.
func render(vendor Vendor, n int, turn Turn, asked *wire) []byte {
	if turn.Empty {
		return nil
	}
	events := turn.RawEvents
	if events == nil {
		events = asked.events(n, turn)
	}
	var b strings.Builder
	for i, data := range events {
		var head struct {
			Type string `json:"type"`
		}
		if (vendor == OpenAI || vendor == Anthropic) && json.Unmarshal([]byte(data), &head) == nil && head.Type != "" {
			fmt.Fprintf(&b, "event: %s\n", head.Type)
		}
		if turn.BrokenJSON && i == len(events)/2 {
			data = half(data)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return []byte(b.String())
}

func (w *wire) events(n int, turn Turn) []string {
	turn.Calls = append([]Call(nil), turn.Calls...)
	for i := range turn.Calls {
		if turn.Calls[i].ID == "" {
			turn.Calls[i].ID = fmt.Sprintf("call_%d_%d", n+1, i+1)
		}
	}
	if w.vendor != OpenAI {
		for i, c := range turn.Calls {
			turn.Calls[i].Arguments = c.arguments()
		}
	}
	switch w.vendor {
	case OpenAI:
		return w.openaiEvents(n, turn)
	case Compatible:
		return chatEvents(n, turn)
	case Anthropic:
		return anthropicEvents(n, turn)
	default:
		return w.geminiEvents(turn)
	}
}

func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

// pieces cuts s into at most two parts, at rune boundaries.
func pieces(s string) []string {
	var out []string
	for left := 2; s != ""; left-- {
		at := len(s) / left
		for at < len(s) && !utf8.RuneStart(s[at]) {
			at++
		}
		if at == 0 {
			_, at = utf8.DecodeRuneInString(s)
		}
		if left == 1 {
			at = len(s)
		}
		out = append(out, s[:at])
		s = s[at:]
	}
	return out
}

// half is the first half of s: what an output limit leaves of it.
func half(s string) string {
	at := len(s) / 2
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[:at]
}

// rawObject is arguments as a JSON value, {} when they are none.
func rawObject(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	return json.RawMessage(`{}`)
}
