package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// wire is what a server reads of a request: the tools that the model was told
// of, the parts that a prompt cache sees, and what the vendor would refuse.
type wire struct {
	vendor   Vendor
	tools    map[string]*declared // by flat name
	system   string
	listed   []part // of the list of tools; deferred ones are no part of a prompt
	items    []part // blocks of the transcript
	problems []string
}

// part is one element of a request, cache marks aside.
type part struct{ where, json string }

// declared is a tool of a request.
type declared struct {
	namespace, name  string // as the wire has them
	form             string // function, custom, search, hosted
	deferred, loaded bool
}

// read takes a request apart; a body that is no JSON object is a request
// without anything, for tests of the server itself.
func read(v Vendor, body []byte) *wire {
	w := &wire{vendor: v, tools: map[string]*declared{}}
	var r map[string]json.RawMessage
	if json.Unmarshal(body, &r) != nil || r == nil {
		return w
	}
	switch v {
	case OpenAI:
		w.openai(r)
	case Compatible:
		w.chat(r)
	case Anthropic:
		w.anthropic(r)
	default:
		w.gemini(r)
	}
	return w
}

func (w *wire) refuse(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

var portable = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]*$`)

// declare notes a tool under its flat name.
func (w *wire) declare(d declared, limit int) {
	if d.form != "hosted" && d.form != "search" && (!portable.MatchString(d.name) || len(d.name) > limit) {
		w.refuse("tool name %q: letters, digits, _ and -, at most %d", d.name, limit)
	}
	flat := d.name
	if d.namespace != "" {
		flat = d.namespace + "__" + d.name
	}
	if old := w.tools[flat]; old != nil {
		if !old.deferred && !d.loaded {
			w.refuse("tool %s is there twice", flat)
		}
		old.loaded = true
		return
	}
	w.tools[flat] = &d
}

// find is the declared tool that a script calls, nil when there is none.
func (w *wire) find(c Call) *declared {
	if d := w.tools[c.Name]; d != nil {
		return d
	}
	for _, d := range w.tools {
		if d.form == "search" && c.Name == "tool_search" {
			return d
		}
	}
	return nil
}

// arguments are a call's bytes on a wire of functions.
func (c Call) arguments() string {
	if c.Input != "" {
		return quote(obj{"input": c.Input})
	}
	return c.Arguments
}

func (w *wire) offers(form string) bool {
	for _, d := range w.tools {
		if d.form == form {
			return true
		}
	}
	return false
}

func (w *wire) item(where string, raw json.RawMessage) {
	w.items = append(w.items, part{where, unmarked(raw)})
}

func (w *wire) list(name string, raw json.RawMessage) {
	w.listed = append(w.listed, part{"tool " + name, unmarked(raw)})
}

// unmarked is JSON without the marks of Anthropic's cache.
func unmarked(raw json.RawMessage) string {
	const mark = `"cache_control":{"type":"ephemeral"}`
	s := strings.ReplaceAll(string(raw), ","+mark, "")
	return strings.ReplaceAll(s, mark+",", "")
}

// keys of an object, for checks.
func keysOf(raw json.RawMessage) []string {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m)
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// schema checks what every vendor wants of a schema of arguments.
func (w *wire) schema(name string, raw json.RawMessage) {
	var s struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(raw, &s) != nil || s.Type != "object" {
		w.refuse("tool %s: the schema's type is not object: %s", name, raw)
	}
	for _, k := range keysOf(raw) {
		if slices.Contains([]string{"oneOf", "anyOf", "allOf", "not", "enum"}, k) {
			w.refuse("tool %s: the schema has %s at its top", name, k)
		}
	}
}
