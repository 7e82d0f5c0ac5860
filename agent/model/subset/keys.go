package subset

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// maxKey bounds the name of a property in bytes, as Anthropic does.
const maxKey = 64

// Keys gives a schema whose properties at the top have names that Anthropic
// takes: one that it does not take, such as "filter[id]" or "$top", has it refuse
// every request that lists the tool [known]. names are the originals by the
// names given, nil where nothing was renamed.
func Keys(schema json.RawMessage) (out json.RawMessage, names map[string]string) {
	root, _ := parse(schema).(*object)
	if root == nil {
		return schema, nil
	}
	props, _ := root.get("properties").(*object)
	if props == nil {
		return schema, nil
	}
	taken := map[string]bool{}
	for _, m := range props.members {
		taken[m.key] = true
	}
	names = map[string]string{}
	given := map[string]string{}
	for i, m := range props.members {
		if key := plainKey(m.key, taken); key != m.key {
			taken[key] = true
			names[key], given[m.key] = m.key, key
			props.members[i].key = key
		}
	}
	if len(names) == 0 {
		return schema, nil
	}
	if list, ok := root.get("required").([]any); ok {
		required := texts(list)
		for i, r := range required {
			if key, ok := given[r]; ok {
				required[i] = key
			}
		}
		root.set("required", textList(required))
	}
	return write(root), names
}

func plainKey(key string, taken map[string]bool) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '_'
	}, key)
	if clean == key && key != "" && len(key) <= maxKey {
		return key
	}
	for n := 1; ; n++ {
		tail := ""
		if n > 1 {
			tail = fmt.Sprintf("_%d", n)
		}
		out := clean[:min(len(clean), maxKey-len(tail))] + tail
		if out != "" && !taken[out] {
			return out
		}
	}
}

// Rename gives an object's members the names that Keys told; what is no object
// stays as it is, and so does a member where both names are there.
func Rename(args json.RawMessage, names map[string]string) json.RawMessage {
	root, _ := parse(args).(*object)
	if root == nil {
		return args
	}
	changed := false
	for i, m := range root.members {
		if to, ok := names[m.key]; ok && root.get(to) == nil {
			root.members[i].key = to
			changed = true
		}
	}
	if !changed {
		return args
	}
	return write(root)
}

// Reverse are the names given by the originals.
func Reverse(names map[string]string) map[string]string {
	out := make(map[string]string, len(names))
	for given, original := range maps.All(names) {
		out[original] = given
	}
	return out
}
