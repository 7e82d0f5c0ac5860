package config

import (
	"encoding/json"
	"strings"
)

// Withdrawn is the layer before without the settings that the person took back:
// those that was, an earlier answer of the same editor, had and now, its present
// one, has not. An editor sends all of its settings at initialize and again when
// it is asked; without this a removed one would live on in what was sent first.
// Settings are told apart by their first name: all of `permissions` is one. What
// is no JSON object is left as it is.
func Withdrawn(before, was, now []byte) []byte {
	had, has := firstNames(was), firstNames(now)
	var layer map[string]json.RawMessage
	if json.Unmarshal(before, &layer) != nil || had == nil {
		return before
	}
	gone := func(name string) bool {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "companion."), ".")
		return had[name] && !has[name]
	}
	for name, value := range layer {
		var inner map[string]json.RawMessage
		switch {
		case name == "companion" && json.Unmarshal(value, &inner) == nil:
			for k := range inner {
				if gone(k) {
					delete(inner, k)
				}
			}
			layer[name], _ = json.Marshal(inner) // raw messages that were read always encode
		case name != "companion" && gone(name):
			delete(layer, name)
		}
	}
	out, err := json.Marshal(layer)
	if err != nil {
		return before
	}
	return out
}

// firstNames are the settings that a layer names, nil when it is no object.
func firstNames(layer []byte) map[string]bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(layer, &top) != nil || top == nil {
		return nil
	}
	out := map[string]bool{}
	for name, value := range top {
		var inner map[string]json.RawMessage
		if name == "companion" && json.Unmarshal(value, &inner) == nil {
			for k := range inner {
				first, _, _ := strings.Cut(k, ".")
				out[first] = true
			}
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(name, "companion."), ".")
		out[first] = true
	}
	return out
}
