package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"companion/tools/schema"
)

// maxNesting bounds how deep a foreign schema may be nested: far beyond what a
// model can fill in, and far below what a stack holds.
const maxNesting = 64

// object is a JSON object that keeps the order of its members: models fill in
// properties in the order in which they stand.
type object struct{ members []member }

type member struct {
	key   string
	value any // *object, []any, string, json.Number, bool or nil
}

func (o *object) get(key string) (any, bool) {
	for _, m := range o.members {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
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

// parseTree reads one JSON value; of two members with one name the last counts.
func parseTree(raw []byte) (any, error) {
	if err := schema.One(raw); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return readTree(dec, 0)
}

func readTree(dec *json.Decoder, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxNesting)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := readTree(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	case json.Delim('{'):
		o := &object{}
		at := map[string]int{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := readTree(dec, depth+1)
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			if i, ok := at[name]; ok {
				o.members[i].value = v
				continue
			}
			at[name] = len(o.members)
			o.members = append(o.members, member{name, v})
		}
		_, err = dec.Token()
		return o, err
	}
	return tok, nil
}

// writeTree gives the compact JSON of a tree, without escaping for HTML.
func writeTree(v any) json.RawMessage {
	var b bytes.Buffer
	appendTree(&b, v)
	return b.Bytes()
}

func appendTree(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case *object:
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(mustJSON(m.key))
			b.WriteByte(':')
			appendTree(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			appendTree(b, x)
		}
		b.WriteByte(']')
	default:
		b.Write(mustJSON(v))
	}
}

// lookup follows a reference within the schema; see schema.Follow.
func lookup(root any, ref string) (any, bool) { return schema.Follow(root, ref, childOf) }

func childOf(v any, step string) (any, bool) {
	switch v := v.(type) {
	case *object:
		return v.get(step)
	case []any:
		return schema.Nth(v, step)
	}
	return nil, false
}

// mustJSON encodes what JSON can hold, without escaping for HTML.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // a tree holds nothing else
	}
	return bytes.TrimSpace(b.Bytes())
}
