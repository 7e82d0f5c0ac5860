package document

import (
	"encoding/json"

	"companion/text"
)

// ToUTF16 converts the positions in a range or a list of diagnostics from the
// encoding of the connection; raw comes back as it is when that is utf-16 or
// the document's text is not known.
func (h *Handlers) ToUTF16(uri string, raw json.RawMessage) json.RawMessage {
	return h.convert(uri, raw, h.Encoding, text.UTF16)
}

// FromUTF16 is the inverse of ToUTF16.
func (h *Handlers) FromUTF16(uri string, raw json.RawMessage) json.RawMessage {
	return h.convert(uri, raw, text.UTF16, h.Encoding)
}

func (h *Handlers) convert(uri string, raw json.RawMessage, from, to text.Encoding) json.RawMessage {
	if from == to || len(raw) == 0 {
		return raw
	}
	doc, open := h.Workspace.Document(uri)
	if !open {
		return raw
	}
	x := text.NewIndex(doc.Text)
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	recode(v, func(p text.Position) text.Position { return x.Position(x.Offset(p, from), to) })
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// recode changes the positions of v in place: a range, a diagnostic ("range"
// only; related information lies in other files), or an array of them.
func recode(v any, f func(text.Position) text.Position) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			recode(e, f)
		}
	case map[string]any:
		if r, ok := v["range"]; ok {
			recode(r, f)
			return
		}
		for _, end := range []string{"start", "end"} {
			p, ok := v[end].(map[string]any)
			if !ok {
				continue
			}
			line, _ := p["line"].(float64)
			char, _ := p["character"].(float64)
			q := f(text.Position{Line: int(line), Character: int(char)})
			p["line"], p["character"] = q.Line, q.Character
		}
	}
}
