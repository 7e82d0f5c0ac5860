package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Schema is the JSON Schema of a settings file in its nested form: every key
// below "companion".
func Schema() (json.RawMessage, error) {
	raw, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "companion's settings",
		"type":    "object",
		"properties": map[string]any{
			"companion": objectSchema(reflect.TypeFor[Settings]()),
		},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema of the settings: %w", err)
	}
	return raw, nil
}

func objectSchema(t reflect.Type) map[string]any {
	properties := map[string]any{}
	for i := range t.NumField() {
		f := t.Field(i)
		properties[f.Tag.Get("json")] = fieldSchema(f)
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func fieldSchema(f reflect.StructField) map[string]any {
	s := typeSchema(f.Type)
	s["description"] = f.Tag.Get("doc")
	if e := f.Tag.Get("enum"); e != "" {
		s["enum"] = strings.Split(e, ",")
	}
	if n, err := strconv.Atoi(f.Tag.Get("min")); err == nil {
		s["minimum"] = n
	}
	if n, err := strconv.Atoi(f.Tag.Get("max")); err == nil {
		s["maximum"] = n
	}
	if d := f.Tag.Get("def"); d != "" {
		s["default"] = d
		switch s["type"] {
		case "integer":
			s["default"] = json.Number(d)
		case "boolean":
			s["default"] = d == "true"
		}
	}
	return s
}

func typeSchema(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Struct:
		return objectSchema(t)
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": typeSchema(t.Elem())}
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return map[string]any{}
		}
		return map[string]any{"type": "array", "items": typeSchema(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	}
	return map[string]any{"type": "string"}
}
