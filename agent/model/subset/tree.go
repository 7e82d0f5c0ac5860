package subset

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is a JSON object whose members keep their order.
type object struct{ members []member }

type member struct {
	key   string
	value any // *object, []any, or json.RawMessage
}

// parse gives a tree; what is no JSON is nil.
func parse(raw json.RawMessage) any {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || !json.Valid(raw) {
		return nil
	}
	switch raw[0] {
	case '[':
		var parts []json.RawMessage
		_ = json.Unmarshal(raw, &parts)
		list := make([]any, len(parts))
		for i, p := range parts {
			list[i] = parse(p)
		}
		return list
	case '{':
		o := &object{}
		d := json.NewDecoder(bytes.NewReader(raw))
		_, _ = d.Token()
		for d.More() {
			key, _ := d.Token()
			var value json.RawMessage
			if d.Decode(&value) != nil {
				return nil
			}
			name, _ := key.(string)
			o.set(name, parse(value))
		}
		return o
	}
	return json.RawMessage(raw)
}

// write is the compact JSON of a tree.
func write(v any) json.RawMessage {
	switch v := v.(type) {
	case *object:
		out := []byte{'{'}
		for i, m := range v.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, quote(m.key)...), ':'), write(m.value)...)
		}
		return append(out, '}')
	case []any:
		out := []byte{'['}
		for i, e := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, write(e)...)
		}
		return append(out, ']')
	case json.RawMessage:
		return v
	}
	return json.RawMessage("null")
}

func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}

func (o *object) get(key string) any {
	for _, m := range o.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (o *object) set(key string, value any) {
	for i := range o.members {
		if o.members[i].key == key {
			o.members[i].value = value
			return
		}
	}
	o.members = append(o.members, member{key, value})
}

func (o *object) drop(keys ...string) {
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return slices.Contains(keys, m.key) })
}

// strings are the texts of a list of JSON strings.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		var s string
		if raw, ok := e.(json.RawMessage); ok && json.Unmarshal(raw, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

func textList(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = quote(s)
	}
	return out
}
