package foreign

import (
	"encoding/json"
	"slices"
	"strings"
)

// sound tells of a normalised schema that it is sure to compile: every keyword
// that has a meaning is well formed and every reference leads to a schema in it.
// It takes a tenth of the time of compiling. What it is not sure of may compile
// all the same.
func sound(root any) bool {
	s := &sounder{visited: map[*object]bool{}}
	if !s.schema(root) {
		return false
	}
	for _, ref := range s.refs {
		if ref == "#" {
			continue
		}
		target, ok := lookup(root, ref)
		o, isObject := target.(*object)
		if !ok || !isObject || !s.visited[o] || strings.ContainsAny(ref, "~%") {
			return false
		}
	}
	return true
}

type sounder struct {
	visited map[*object]bool
	refs    []string
}

func (s *sounder) schema(v any) bool {
	if _, ok := v.(bool); ok {
		return true
	}
	o, ok := v.(*object)
	if !ok {
		return false
	}
	s.visited[o] = true
	for _, m := range o.members {
		if !s.keyword(m) {
			return false
		}
	}
	return true
}

func (s *sounder) keyword(m member) bool {
	switch m.key {
	case "type":
		return isTypes(m.value)
	case "title", "description", "format", "pattern", "contentEncoding", "contentMediaType":
		_, ok := m.value.(string)
		return ok
	case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
		named, ok := m.value.(*object)
		return ok && !slices.ContainsFunc(named.members, func(p member) bool { return !s.schema(p.value) })
	case "anyOf", "oneOf", "allOf", "prefixItems":
		several, ok := m.value.([]any)
		return ok && len(several) > 0 && !slices.ContainsFunc(several, func(v any) bool { return !s.schema(v) })
	case "items", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties", "contentSchema", "additionalProperties":
		return s.schema(m.value)
	case "required":
		return isNames(m.value)
	case "dependentRequired":
		named, ok := m.value.(*object)
		return ok && !slices.ContainsFunc(named.members, func(p member) bool { return !isNames(p.value) })
	case "enum", "examples":
		_, ok := m.value.([]any)
		return ok
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		n, ok := m.value.(json.Number)
		return ok && len(n) < 10 && !strings.ContainsAny(n.String(), "-.eE")
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		n, ok := m.value.(json.Number)
		return ok && len(n) < 20 && !strings.ContainsAny(n.String(), "eE")
	case "uniqueItems", "readOnly", "writeOnly", "deprecated":
		_, ok := m.value.(bool)
		return ok
	case "$ref":
		ref, ok := m.value.(string)
		s.refs = append(s.refs, ref)
		return ok
	case "const", "default":
		return true
	case "multipleOf", "dependencies":
		return false
	}
	return !strings.HasPrefix(m.key, "$")
}

func isTypes(v any) bool {
	known := []string{"string", "object", "array", "integer", "number", "boolean", "null"}
	switch t := v.(type) {
	case string:
		return slices.Contains(known, t)
	case []any:
		return len(t) > 0 && !slices.ContainsFunc(t, func(x any) bool {
			s, ok := x.(string)
			return !ok || !slices.Contains(known, s)
		}) // setType made them unique
	}
	return false
}

func isNames(v any) bool {
	names, ok := v.([]any)
	seen := map[string]bool{}
	return ok && !slices.ContainsFunc(names, func(x any) bool {
		s, ok := x.(string)
		twice := seen[s]
		seen[s] = true
		return !ok || twice
	})
}
