package outputs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// renderer words schemas; what they refer to is sought in root.
type renderer struct {
	root json.RawMessage
	left int // schemas that it may still look at: references multiply them
}

// node is what a schema says that a type needs.
type node struct {
	Ref        string            `json:"$ref"`
	Type       json.RawMessage   `json:"type"`
	Properties json.RawMessage   `json:"properties"`
	Required   []string          `json:"required"`
	Items      json.RawMessage   `json:"items"`
	Enum       []json.RawMessage `json:"enum"`
	Const      json.RawMessage   `json:"const"`
	AnyOf      []json.RawMessage `json:"anyOf"`
	OneOf      []json.RawMessage `json:"oneOf"`
	Additional json.RawMessage   `json:"additionalProperties"`
}

func (r *renderer) typeOf(schema json.RawMessage, depth int) string {
	var n node
	if r.left--; r.left < 0 || depth <= 0 || json.Unmarshal(schema, &n) != nil {
		return "…"
	}
	if n.Ref != "" {
		return r.typeOf(r.follow(n.Ref), depth-1)
	}
	switch alternatives := append(n.AnyOf, n.OneOf...); {
	case len(n.Const) > 0:
		return string(n.Const)
	case len(n.Enum) > 0:
		return join(n.Enum, func(v json.RawMessage) string { return string(v) })
	case len(alternatives) > 0:
		return join(alternatives, func(v json.RawMessage) string { return r.typeOf(v, depth-1) })
	case len(n.Properties) > 0:
		return r.object(n, depth)
	case len(n.Items) > 0:
		inner := r.typeOf(n.Items, depth-1)
		if strings.Contains(inner, " | ") && !strings.HasSuffix(inner, "}") {
			inner = "(" + inner + ")"
		}
		return inner + "[]"
	}
	types := names(n.Type)
	if slices.Contains(types, "object") && len(n.Additional) > 0 && n.Additional[0] == '{' {
		return "{[name]: " + r.typeOf(n.Additional, depth-1) + "}"
	}
	if len(types) == 0 {
		return "any"
	}
	return strings.Join(types, " | ")
}

func (r *renderer) object(n node, depth int) string {
	dec := json.NewDecoder(bytes.NewReader(n.Properties))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "object"
	}
	var parts []string
	for dec.More() {
		t, err := dec.Token()
		var inner json.RawMessage
		if err != nil || dec.Decode(&inner) != nil {
			break
		}
		name, _ := t.(string)
		shown := name
		if strings.ContainsFunc(name, func(c rune) bool {
			return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
		}) {
			shown = strconv.Quote(name)
		}
		if !slices.Contains(n.Required, name) {
			shown += "?"
		}
		parts = append(parts, shown+": "+r.typeOf(inner, depth-1))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// follow gives what "#/a/b" leads to.
func (r *renderer) follow(ref string) json.RawMessage {
	at := r.root
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	for step := range strings.SplitSeq(path, "/") {
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return nil
		}
		at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return at
}

// names are the types of a schema's "type", one or several.
func names(raw json.RawMessage) []string {
	var one string
	var several []string
	switch {
	case json.Unmarshal(raw, &one) == nil:
		return []string{one}
	case json.Unmarshal(raw, &several) == nil:
		return several
	}
	return nil
}

func join(list []json.RawMessage, word func(json.RawMessage) string) string {
	var parts []string
	for _, v := range list {
		if w := word(v); !slices.Contains(parts, w) {
			parts = append(parts, w)
		}
	}
	return strings.Join(parts, " | ")
}
