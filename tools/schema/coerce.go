package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// coercer undoes the lossless disguises in which models send values (tools.md,
// Arguments): an array, object, number or boolean as a string, a lone value
// for an array, null for an absent optional, 3.0 for an integer, "" for null
// where a string cannot be meant.
type coercer struct{ root any }

// value gives v as the schema wants it, and whether that differs from v. Arrays
// and objects are changed in place.
func (c coercer) value(schema, v any) (any, bool) {
	want := c.flat(schema)
	moved := false
	if text, ok := v.(string); ok && len(want.types) > 0 && !slices.Contains(want.types, "string") {
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		switch {
		case err == nil && is(parsed, want.types):
			v, moved = parsed, true
		case text == "" && is(nil, want.types):
			return nil, true
		}
	}
	if slices.Contains(want.types, "array") && !is(v, want.types) && v != nil && want.items != nil {
		inner, _ := c.value(want.items, v)
		if is(inner, c.flat(want.items).types) {
			v, moved = []any{inner}, true
		}
	}
	switch v := v.(type) {
	case json.Number:
		if whole, ok := integer(v); ok && slices.Contains(want.types, "integer") {
			return whole, true
		}
	case []any:
		for i, item := range v {
			schema := want.items
			if i < len(want.prefix) {
				schema = want.prefix[i]
			}
			if out, did := c.value(schema, item); did {
				v[i], moved = out, true
			}
		}
	case map[string]any:
		moved = c.members(c.branch(want, v), v) || moved
	}
	return v, moved
}

func (c coercer) members(want flat, v map[string]any) (moved bool) {
	for name, item := range v {
		prop, known := want.props[name]
		if !known {
			continue
		}
		if item == nil && !slices.Contains(want.required, name) {
			if types := c.flat(prop).types; !is(nil, types) {
				delete(v, name)
				moved = true
				continue
			}
		}
		if out, did := c.value(prop, item); did {
			v[name], moved = out, true
		}
	}
	return moved
}

// is tells whether v has one of the types; with none named, nothing is.
func is(v any, types []string) bool {
	name := typeOf(v)
	if n, ok := v.(json.Number); ok && slices.Contains(types, "integer") && isWhole(n) {
		return true
	}
	return slices.Contains(types, name)
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// integer gives the plain spelling of a whole number that is written otherwise.
func integer(n json.Number) (json.Number, bool) {
	if !strings.ContainsAny(n.String(), ".eE") || len(n) > 32 {
		return n, false
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || !r.IsInt() || r.Num().BitLen() > 63 {
		return n, false
	}
	return json.Number(r.Num().String()), true
}

// isWhole bounds the exponent, since 1e999999999 is a valid JSON number.
func isWhole(n json.Number) bool {
	if !strings.ContainsAny(n.String(), ".eE") {
		return true
	}
	_, ok := integer(n)
	return ok
}
