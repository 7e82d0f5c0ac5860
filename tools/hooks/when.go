package hooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"companion/tools"
)

// When says which calls a hook is for. The zero value is all of them.
type When struct {
	tool  string // pattern of full names; "" = any
	where []condition
}

// condition on one place of the arguments.
type condition struct {
	path    []string // property names, indexes, "*"; nil = the tool's main argument
	pattern string
}

// Parse reads a condition:
//
//	exec_command              the tool
//	mcp.*                     every tool of the namespace
//	exec_command(git push*)   with such a main argument, the first string of its schema
//	edit(path: *.go)          with such an argument
//	edit(path: src/*, edits[*].new: *TODO*)   with all of these
//
// In patterns * stands for any text, also none, and ? for one character; case
// counts. "\," stands for a comma, "\)" for a parenthesis in a pattern. A
// command is compared as one text: rules of package permission know what is in
// it, patterns do not.
func Parse(s string) (When, error) {
	tool, rest, with := strings.Cut(strings.TrimSpace(s), "(")
	tool = strings.TrimSpace(tool)
	if tool == "" || strings.ContainsAny(tool, " )") {
		return When{}, fmt.Errorf("condition %q: it begins with no tool", s)
	}
	w := When{tool: tool}
	if !with {
		return w, nil
	}
	rest, ok := strings.CutSuffix(rest, ")")
	if !ok || strings.HasSuffix(rest, `\`) {
		return When{}, fmt.Errorf(`condition %q: it does not end with ")"`, s)
	}
	for _, part := range split(rest) {
		c := condition{pattern: part}
		if path, pattern, named := strings.Cut(part, ": "); named {
			if steps, ok := stepsOf(path); ok {
				c = condition{steps, strings.TrimSpace(pattern)}
			}
		}
		if c.pattern == "" {
			return When{}, fmt.Errorf("condition %q: an argument without a pattern", s)
		}
		w.where = append(w.where, c)
	}
	return w, nil
}

// split cuts at commas that no backslash stands before.
func split(s string) []string {
	var parts []string
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`,)\`, s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case s[i] == ',':
			parts = append(parts, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	return append(parts, strings.TrimSpace(b.String()))
}

// stepsOf reads "edits[*].new".
func stepsOf(path string) ([]string, bool) {
	var steps []string
	for part := range strings.SplitSeq(strings.TrimSpace(path), ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name == "" || strings.ContainsAny(name, " */\\\"'") {
			return nil, false
		}
		steps = append(steps, name)
		for indexed {
			index, more, closed := strings.Cut(rest, "]")
			if _, err := strconv.Atoi(index); !closed || err != nil && index != "*" {
				return nil, false
			}
			steps = append(steps, index)
			if more == "" {
				break
			}
			if rest, indexed = strings.CutPrefix(more, "["); !indexed {
				return nil, false
			}
		}
	}
	return steps, true
}

// names tells whether the condition is for a tool, whatever its arguments.
func (w When) names(s tools.Spec, called string) bool {
	if w.tool == "" || match(w.tool, called) {
		return true
	}
	return s.Name != "" && (match(w.tool, s.Full()) || slices.ContainsFunc(s.Aliases, func(a string) bool { return match(w.tool, a) }))
}

// fits tells whether the condition is for a call with these arguments.
func (w When) fits(s tools.Spec, called string, args json.RawMessage) bool {
	if !w.names(s, called) {
		return false
	}
	if len(w.where) == 0 {
		return true
	}
	var value any
	if json.Unmarshal(args, &value) != nil {
		value = nil
	}
	for _, c := range w.where {
		path := c.path
		if path == nil {
			path = []string{mainArgument(s)}
		}
		if !slices.ContainsFunc(at(value, path), func(text string) bool { return match(c.pattern, text) }) {
			return false
		}
	}
	return true
}

// mainArgument is the first property of a tool's schema that is a string.
func mainArgument(s tools.Spec) string {
	if s.Form == tools.Freeform {
		return "input"
	}
	var root struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(s.Input, &root) != nil {
		return ""
	}
	dec := json.NewDecoder(strings.NewReader(string(root.Properties)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for dec.More() {
		name, err := dec.Token()
		var prop struct {
			Type any `json:"type"`
		}
		if err != nil || dec.Decode(&prop) != nil {
			return ""
		}
		if prop.Type == "string" {
			text, _ := name.(string)
			return text
		}
	}
	return ""
}

// at gives the texts at a path: strings as they are, other values as JSON.
func at(v any, path []string) []string {
	if len(path) == 0 {
		if text, ok := v.(string); ok {
			return []string{text}
		}
		raw, err := json.Marshal(v)
		if err != nil || v == nil {
			return nil
		}
		return []string{string(raw)}
	}
	switch v := v.(type) {
	case map[string]any:
		if next, ok := v[path[0]]; ok {
			return at(next, path[1:])
		}
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(v) {
			return at(v[i], path[1:])
		}
		if path[0] == "*" {
			var all []string
			for _, item := range v {
				all = append(all, at(item, path[1:])...)
			}
			return all
		}
	}
	return nil
}

// match compares a whole text with a pattern of * and ?, in time that grows
// with the product of their lengths at most.
func match(pattern, s string) bool {
	p, t := []rune(pattern), []rune(s)
	i, j, star, from := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
