package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	if !json.Valid(raw) {
		return nil, fmt.Errorf("it is no JSON: %w", schema.One(raw))
	}
	r := &reader{raw: raw}
	v := r.value(0)
	if r.deep {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxNesting)
	}
	return v, nil
}

// reader walks over JSON that is known to be valid: encoding/json's tokens take
// four times as long, and an editor may bring a thousand tools at once.
type reader struct {
	raw  []byte
	at   int
	deep bool // nested too deep; what follows is not read
}

// next is the first byte that is no space.
func (r *reader) next() byte {
	for r.raw[r.at] <= ' ' {
		r.at++
	}
	return r.raw[r.at]
}

func (r *reader) value(depth int) any {
	if r.deep = r.deep || depth > maxNesting; r.deep {
		return nil
	}
	switch r.next() {
	case '{':
		return r.object(depth)
	case '[':
		list := []any{}
		for r.at++; r.next() != ']' && !r.deep; r.comma() {
			list = append(list, r.value(depth+1))
		}
		r.at++
		return list
	case '"':
		return r.text()
	case 't':
		r.at += len("true")
		return true
	case 'f':
		r.at += len("false")
		return false
	case 'n':
		r.at += len("null")
		return nil
	}
	start := r.at
	for r.at < len(r.raw) && strings.IndexByte("+-.0123456789eE", r.raw[r.at]) >= 0 {
		r.at++
	}
	return json.Number(r.raw[start:r.at])
}

func (r *reader) object(depth int) *object {
	o := &object{}
	var at map[string]int // of a large object
	for r.at++; r.next() != '}' && !r.deep; r.comma() {
		name := r.text()
		r.next() // the colon
		r.at++
		v := r.value(depth + 1)
		if len(o.members) < 16 {
			o.set(name, v)
			continue
		}
		if at == nil {
			at = map[string]int{}
			for i, m := range o.members {
				at[m.key] = i
			}
		}
		if i, twice := at[name]; twice {
			o.members[i].value = v
			continue
		}
		at[name] = len(o.members)
		o.members = append(o.members, member{name, v})
	}
	r.at++
	return o
}

func (r *reader) comma() {
	if !r.deep && r.next() == ',' {
		r.at++
	}
}

// text reads a string; its escapes are encoding/json's business.
func (r *reader) text() string {
	r.next()
	start, plain := r.at, true
	for r.at++; r.raw[r.at] != '"'; r.at++ {
		if r.raw[r.at] == '\\' {
			plain = false
			r.at++
		}
	}
	r.at++
	quoted := r.raw[start:r.at]
	if plain && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // valid, see parseTree
	return s
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
			appendText(b, m.key)
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
	case string:
		appendText(b, v)
	case json.Number:
		b.WriteString(v.String())
	default:
		b.Write(mustJSON(v))
	}
}

// appendText writes a string, which mostly needs no escapes.
func appendText(b *bytes.Buffer, s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			b.Write(mustJSON(s))
			return
		}
	}
	b.WriteByte('"')
	b.WriteString(s)
	b.WriteByte('"')
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
