package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"companion/lspbridge/companion"
)

// pairs is a JSON object whose members keep their order.
type pairs []pair

type pair struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (p pairs) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(x.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// JSON is the JSON Schema (draft 2020-12) of all companion/* methods: "methods"
// names each with its params and result, which are in "$defs".
func JSON() (json.RawMessage, error) {
	w := collect()
	var methods pairs
	for _, m := range companion.FromEditor() {
		methods = append(methods, pair{m.Name, w.method(m, "fromEditor")})
	}
	for _, m := range companion.ToEditor() {
		methods = append(methods, pair{m.Name, w.method(m, "toEditor")})
	}
	var defs pairs
	for _, d := range w.sorted() {
		defs = append(defs, pair{d.name, d.schema()})
	}
	raw, err := json.MarshalIndent(pairs{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "companion's methods of LSP"},
		{"version", companion.Version},
		{"methods", methods},
		{"$defs", defs},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return raw, nil
}

func (w *world) method(m companion.Method, direction string) pairs {
	out := pairs{{"direction", direction}, {"description", m.Doc}, {"params", w.of(m.Params, "").schema()}}
	if m.Notification() {
		return append(pairs{{"kind", "notification"}}, out...)
	}
	return append(append(pairs{{"kind", "request"}}, out...), pair{"result", w.of(m.Result, "").schema()})
}

func (d *def) schema() pairs {
	if d.union != nil {
		var list []pairs
		for _, n := range d.union {
			list = append(list, shape{kind: "ref", ref: n}.schema())
		}
		return pairs{{"oneOf", list}}
	}
	properties, required := pairs{}, []string{}
	for _, m := range d.members {
		s := m.shape.schema()
		if m.doc != "" {
			s = append(s, pair{"description", m.doc})
		}
		properties = append(properties, pair{m.name, s})
		if m.required {
			required = append(required, m.name)
		}
	}
	out := pairs{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		out = append(out, pair{"required", required})
	}
	return out
}

func (s shape) schema() pairs {
	switch s.kind {
	case "any":
		return pairs{}
	case "ref":
		return pairs{{"$ref", "#/$defs/" + s.ref}}
	case "array":
		return pairs{{"type", "array"}, {"items", s.elem.schema()}}
	case "map":
		return pairs{{"type", "object"}, {"additionalProperties", s.elem.schema()}}
	}
	out := pairs{{"type", s.kind}}
	if s.enum != nil {
		out = append(out, pair{"enum", s.enum})
	}
	return out
}
