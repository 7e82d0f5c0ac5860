package subset

import (
	"encoding/json"
	"slices"
)

// geminiKeys are the keywords that Google documents for JSON Schemas, without
// references and oneOf, which are rewritten [known].
var geminiKeys = []string{
	"type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum", "maximum",
	"anyOf", "properties", "additionalProperties", "required",
}

// gemini is one schema and all inside it, in the dialect.
func (r reducer) gemini(o *object, depth int) *object {
	out := &object{}
	if depth > 4*deepest {
		return out
	}
	if ref := r.target(o); ref != nil {
		if depth > deepest { // contains itself
			out.set("type", json.RawMessage(`"object"`))
			return out
		}
		o = r.inlined(o, 0)
	}
	if one, ok := o.get("oneOf").([]any); ok && o.get("anyOf") == nil {
		o = &object{members: slices.Clone(o.members)}
		o.set("anyOf", one)
	}
	for _, m := range o.members {
		if m.key == "const" && o.get("enum") == nil {
			m = member{"enum", []any{m.value}}
		}
		if !slices.Contains(geminiKeys, m.key) {
			continue
		}
		if v := r.keyword(m, depth); v != nil {
			out.set(m.key, v)
		}
	}
	if all, ok := o.get("allOf").([]any); ok {
		for _, part := range all {
			r.both(out, part, depth)
		}
	}
	known(out)
	return out
}

// keyword is a keyword's value in the dialect, nil to leave it out.
func (r reducer) keyword(m member, depth int) any {
	switch m.key {
	case "properties":
		named, ok := m.value.(*object)
		if !ok {
			return nil
		}
		out := &object{}
		for _, p := range named.members {
			out.set(p.key, r.schema(p.value, depth))
		}
		return out
	case "items":
		if _, ok := m.value.(*object); !ok {
			return nil
		}
		return r.schema(m.value, depth)
	case "additionalProperties":
		if _, ok := m.value.(*object); !ok {
			return m.value
		}
		return r.schema(m.value, depth)
	case "anyOf", "prefixItems":
		list, ok := m.value.([]any)
		if !ok {
			return nil
		}
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = r.schema(e, depth)
		}
		return out
	case "enum":
		return enum(m.value)
	}
	return m.value
}

func (r reducer) schema(v any, depth int) any {
	if o, ok := v.(*object); ok {
		return r.gemini(o, depth+1)
	}
	return &object{} // true, false
}

// both adds to out what another schema that must fit too says.
func (r reducer) both(out *object, part any, depth int) {
	p, ok := part.(*object)
	if !ok {
		return
	}
	p = r.gemini(p, depth+1)
	merge(out, p, true)
	for _, m := range p.members {
		if out.get(m.key) == nil && m.key != "additionalProperties" {
			out.set(m.key, m.value)
		}
	}
}

// enum keeps lists of strings and numbers.
func enum(v any) any {
	list, _ := v.([]any)
	var out []any
	for _, e := range list {
		raw, ok := e.(json.RawMessage)
		if !ok {
			return nil
		}
		switch raw[0] {
		case 't', 'f':
			return nil
		case 'n':
		default:
			out = append(out, raw)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// known drops from required what is no property: the service refuses it.
func known(o *object) {
	props, _ := o.get("properties").(*object)
	required := texts(o.get("required"))
	if required == nil {
		o.drop("required")
		return
	}
	required = slices.DeleteFunc(required, func(s string) bool { return props == nil || props.get(s) == nil })
	if o.set("required", textList(required)); len(required) == 0 {
		o.drop("required")
	}
}
