package subset

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Dialect is what a vendor takes.
type Dialect int

// The dialects.
const (
	// Plain takes JSON Schema below the top, where it wants properties and
	// nothing that combines schemas: OpenAI and Anthropic answer 400 to
	// oneOf, anyOf, allOf, enum and not there [known].
	Plain Dialect = iota
	// Gemini is what Google documents of parametersJsonSchema, and references
	// written out.
	Gemini
)

// deepest is how far references are followed: a schema that contains itself is
// cut there.
const deepest = 8

var empty = json.RawMessage(`{"type":"object","properties":{}}`)

// Of is schema as a dialect takes it, of type object in any case.
func Of(d Dialect, schema json.RawMessage) json.RawMessage {
	schema = bytes.TrimSpace(schema)
	if len(schema) == 0 || schema[0] != '{' {
		return empty
	}
	if d == Plain && !mentions(schema, "allOf", "anyOf", "oneOf", "not", "$ref", "if", "enum", "const") {
		return typed(schema)
	}
	root, ok := parse(schema).(*object)
	if !ok {
		return empty
	}
	r := reducer{root: root}
	switch d {
	case Gemini:
		root = r.gemini(root, 0)
		flatten(root)
	default:
		if !combined(root) {
			return typed(schema)
		}
		root = r.inlined(root, 0)
		flatten(root)
	}
	return typed(write(root))
}

// mentions tells quickly whether any of the keywords may be in a schema.
func mentions(schema []byte, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return bytes.Contains(schema, []byte(`"`+k+`"`)) })
}

// typed is a schema with "type":"object" at its top.
func typed(schema json.RawMessage) json.RawMessage {
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(schema, &head) != nil {
		return empty
	}
	if string(head.Type) == `"object"` {
		return schema
	}
	root, _ := parse(schema).(*object)
	if root == nil {
		return empty
	}
	root.drop("type")
	if len(root.members) == 0 {
		return empty
	}
	root.members = slices.Insert(root.members, 0, member{"type", json.RawMessage(`"object"`)})
	return write(root)
}

var combiners = []string{"allOf", "anyOf", "oneOf", "not", "$ref", "if", "then", "else", "enum", "const"}

func combined(root *object) bool {
	return slices.ContainsFunc(combiners, func(k string) bool { return root.get(k) != nil })
}

// flatten takes what combines schemas away from the top: the properties of all
// parts stand there together, and required is what each alternative requires.
func flatten(root *object) {
	for depth := 0; combined(root) && depth < deepest; depth++ {
		all, _ := root.get("allOf").([]any)
		any1, _ := root.get("anyOf").([]any)
		one, _ := root.get("oneOf").([]any)
		root.drop(combiners...)
		for _, part := range all {
			merge(root, part, true)
		}
		for _, list := range [][]any{any1, one} {
			required := shared(list)
			for _, part := range list {
				merge(root, part, false)
			}
			require(root, required)
		}
	}
	root.drop(combiners...)
}

// merge puts a part's properties into o, those that are there stay as they are.
func merge(o *object, part any, require1 bool) {
	p, ok := part.(*object)
	if !ok {
		return
	}
	if props, ok := p.get("properties").(*object); ok {
		mine, ok := o.get("properties").(*object)
		if !ok {
			mine = &object{}
			o.set("properties", mine)
		}
		for _, m := range props.members {
			if mine.get(m.key) == nil {
				mine.set(m.key, m.value)
			}
		}
	}
	if o.get("description") == nil && p.get("description") != nil {
		o.set("description", p.get("description"))
	}
	if require1 {
		require(o, texts(p.get("required")))
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} { // of the next round
		if list, ok := p.get(k).([]any); ok {
			mine, _ := o.get("anyOf").([]any)
			o.set("anyOf", append(mine, list...))
		}
	}
	// A closed part beside others would close them too.
	o.drop("additionalProperties", "unevaluatedProperties")
}

// shared is what all alternatives require.
func shared(list []any) []string {
	var out []string
	for i, part := range list {
		p, ok := part.(*object)
		if !ok {
			return nil
		}
		now := texts(p.get("required"))
		if i == 0 {
			out = now
		}
		out = slices.DeleteFunc(out, func(s string) bool { return !slices.Contains(now, s) })
	}
	return out
}

func require(o *object, names []string) {
	have := texts(o.get("required"))
	for _, n := range names {
		if !slices.Contains(have, n) {
			have = append(have, n)
		}
	}
	if len(have) > 0 {
		o.set("required", textList(have))
	}
}

// reducer knows the schema that references point into.
type reducer struct{ root *object }

// inlined is a schema behind its references; only the top is followed.
func (r reducer) inlined(o *object, depth int) *object {
	ref := r.target(o)
	if ref == nil || depth > deepest {
		return o
	}
	out := &object{members: slices.Clone(o.members)}
	out.drop("$ref")
	for _, m := range r.inlined(ref, depth+1).members {
		if out.get(m.key) == nil {
			out.set(m.key, m.value)
		}
	}
	return out
}

// target is what a local reference of o points to, nil without one.
func (r reducer) target(o *object) *object {
	raw, _ := o.get("$ref").(json.RawMessage)
	var ref string
	if json.Unmarshal(raw, &ref) != nil || !strings.HasPrefix(ref, "#") {
		return nil
	}
	at := any(r.root)
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#"), "/") {
		if step == "" {
			continue
		}
		o, ok := at.(*object)
		if !ok {
			return nil
		}
		at = o.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	found, _ := at.(*object)
	return found
}
