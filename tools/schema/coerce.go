package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// coerce undoes the lossless disguises in which models send values (tools.md,
// Arguments): an array, object, number or boolean as a string, a lone value
// for an array, null for an absent optional, 3.0 for an integer. It reports
// whether value differs from what came in.
func coerce(schema, value any) (any, bool) {
	node, ok := schema.(map[string]any)
	if !ok {
		return value, false
	}
	want := wanted(node)
	moved := false
	if text, ok := value.(string); ok && len(want) > 0 && !slices.Contains(want, "string") {
		if parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil && is(parsed, want) {
			value, moved = parsed, true
		}
	}
	if slices.Contains(want, "array") && !is(value, want) && value != nil {
		if items, ok := node["items"].(map[string]any); ok {
			inner, _ := coerce(items, value)
			if is(inner, wanted(items)) {
				value, moved = []any{inner}, true
			}
		}
	}
	switch v := value.(type) {
	case json.Number:
		if whole, ok := integer(v); ok && slices.Contains(want, "integer") {
			return whole, true
		}
	case []any:
		for i, item := range v {
			if out, did := coerce(node["items"], item); did {
				v[i], moved = out, true
			}
		}
	case map[string]any:
		moved = coerceObject(node, v) || moved
	}
	return value, moved
}

func coerceObject(node, v map[string]any) (moved bool) {
	required, _ := node["required"].([]any)
	props, _ := node["properties"].(map[string]any)
	for name, item := range v {
		prop, known := props[name]
		if !known {
			continue
		}
		if item == nil && !slices.Contains(required, any(name)) && !is(nil, wantedOf(prop)) {
			delete(v, name)
			moved = true
			continue
		}
		if out, did := coerce(prop, item); did {
			v[name], moved = out, true
		}
	}
	return moved
}

func wantedOf(schema any) []string {
	node, _ := schema.(map[string]any)
	return wanted(node)
}

// wanted are the types that a schema names; none means any.
func wanted(node map[string]any) []string {
	switch t := node["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, x := range t {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// is tells whether v has one of the types; with none named, nothing is.
func is(v any, types []string) bool {
	name := ""
	switch v := v.(type) {
	case nil:
		name = "null"
	case bool:
		name = "boolean"
	case string:
		name = "string"
	case []any:
		name = "array"
	case map[string]any:
		name = "object"
	case json.Number:
		if slices.Contains(types, "integer") && isWhole(v) {
			return true
		}
		name = "number"
	}
	return slices.Contains(types, name)
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
