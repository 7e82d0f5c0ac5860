package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Normalise turns a foreign schema of arguments (drafts 4 to 2020-12, and what
// people write for them) into compact JSON Schema 2020-12 that every vendor
// takes: the root is an object with properties, null and empty keywords are
// gone, an array has items, old spellings are the new ones, texts are Plain,
// patterns that Go's regexp does not know are dropped. The order of properties
// stays. An error says what cannot be a schema of arguments.
func Normalise(raw json.RawMessage) (json.RawMessage, error) {
	tree, err := argumentsTree(raw)
	if err != nil {
		return nil, err
	}
	return writeTree(tree), nil
}

func argumentsTree(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, errors.New(`it is missing; {"type":"object"} stands for no parameters`)
	}
	tree, err := parseTree(raw)
	if err != nil {
		return nil, err
	}
	if tree == true {
		tree = &object{}
	}
	root, ok := tree.(*object)
	if !ok {
		return nil, fmt.Errorf("it is no JSON object but %.40s", raw)
	}
	n := &normaliser{}
	n.base(root)
	out, ok := n.schema(root, "").(*object)
	if n.err != nil {
		return nil, n.err
	}
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	return rootObject(out)
}

// NormaliseOutput is Normalise for the schema of a result, which may be of any
// type.
func NormaliseOutput(raw json.RawMessage) (json.RawMessage, error) {
	tree, err := resultsTree(raw)
	if err != nil {
		return nil, err
	}
	return writeTree(tree), nil
}

func resultsTree(raw json.RawMessage) (any, error) {
	tree, err := parseTree(raw)
	if err != nil {
		return nil, err
	}
	n := &normaliser{}
	if root, ok := tree.(*object); ok {
		n.base(root)
	}
	out := n.schema(tree, "")
	return out, n.err
}

// rootObject makes the root one object schema, its own reference resolved.
func rootObject(root *object) (any, error) {
	for hops := 0; ; hops++ {
		ref, _ := root.get("$ref")
		text, is := ref.(string)
		if !is {
			break
		}
		target, ok := lookup(root, text)
		into, isObject := target.(*object)
		if !ok || !isObject {
			return nil, fmt.Errorf("its root refers to %q, which is not in it", text)
		}
		if hops > 16 || into == root {
			return nil, errors.New("its root refers to itself")
		}
		merged := &object{}
		for _, m := range root.members {
			if m.key != "$ref" {
				merged.members = append(merged.members, m)
			}
		}
		for _, m := range into.members {
			if _, have := merged.get(m.key); !have {
				merged.members = append(merged.members, m)
			}
		}
		root = merged
	}
	kind, has := root.get("type")
	switch t := kind.(type) {
	case string:
		if t != "object" {
			return nil, fmt.Errorf("its type is %q, and arguments are an object", t)
		}
	case []any:
		if !slices.Contains(t, any("object")) {
			return nil, errors.New("its type names no object, and arguments are an object")
		}
	}
	if has {
		root.set("type", "object")
	} else {
		root.members = slices.Insert(root.members, 0, member{"type", "object"})
	}
	if _, ok := root.get("properties"); !ok {
		root.set("properties", &object{})
	}
	return root, nil
}

type normaliser struct {
	id  string // of the root, without fragment
	err error  // the first
}

func (n *normaliser) fail(at, format string, args ...any) {
	if n.err == nil {
		n.err = fmt.Errorf("%s: %s", place(at), fmt.Sprintf(format, args...))
	}
}

func place(at string) string {
	if at == "" {
		return "(root)"
	}
	return at
}

// base remembers by which address the schema calls itself, so that references
// to that address stay inside.
func (n *normaliser) base(root *object) {
	for _, key := range []string{"$id", "id"} {
		if v, _ := root.get(key); v != nil {
			if s, ok := v.(string); ok {
				n.id, _, _ = strings.Cut(s, "#")
				return
			}
		}
	}
}

func (n *normaliser) schema(v any, at string) any {
	switch v := v.(type) {
	case bool:
		return v
	case nil:
		return &object{}
	case *object:
		out := &object{members: make([]member, 0, len(v.members))}
		for _, m := range v.members {
			n.keyword(v, out, m, at)
		}
		complete(v, out)
		return out
	}
	n.fail(at, "a schema is an object, true or false, not %.40s", writeTree(v))
	return &object{}
}

// complete adds what vendors miss: items of an array, null where it may be. What
// would refuse more than was meant, because a pattern of names was dropped, goes.
func complete(in, out *object) {
	patterns, _ := in.get("patternProperties")
	if named, ok := patterns.(*object); ok && slices.ContainsFunc(named.members, func(m member) bool { return !compiles(m.key) }) {
		out.drop("additionalProperties", "unevaluatedProperties")
	}
	kind, _ := out.get("type")
	if nullable, _ := in.get("nullable"); nullable == true {
		if s, ok := kind.(string); ok && s != "null" {
			kind = []any{s, "null"}
			out.set("type", kind)
		}
	}
	list, _ := kind.([]any)
	if kind == "array" || slices.Contains(list, any("array")) {
		_, items := out.get("items")
		_, prefix := out.get("prefixItems")
		if !items && !prefix {
			out.set("items", &object{})
		}
	}
}

// keyword puts one member of the schema in into out.
func (n *normaliser) keyword(in, out *object, m member, at string) {
	here := at + "/" + m.key
	if m.value == nil && m.key != "const" && m.key != "default" {
		return
	}
	switch m.key {
	case "$schema", "$vocabulary", "$comment", "$recursiveAnchor", "nullable", "additionalItems":
	case "id", "$id", "$anchor", "$ref", "$recursiveRef":
		n.reference(out, m, at)
	case "title", "description":
		if s, ok := m.value.(string); ok {
			out.set(m.key, Plain(s))
		}
	case "properties", "$defs", "definitions", "dependentSchemas", "patternProperties":
		n.named(out, m, here)
	case "dependencies":
		n.dependencies(out, m, here)
	case "items":
		n.items(in, out, m, here)
	case "required":
		requiredNames(out, m.value)
	case "type":
		setType(out, m.value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		bound(in, out, m)
	case "pattern":
		if s, ok := m.value.(string); ok && compiles(s) {
			out.set("pattern", s)
		}
	case "anyOf", "oneOf", "allOf", "prefixItems":
		n.several(out, m, here)
	case "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties", "contentSchema", "additionalProperties":
		out.set(m.key, n.schema(m.value, here))
	case "enum", "const", "default", "examples":
		n.values(out, m, here)
	default:
		out.set(Plain(m.key), plainTree(m.value))
	}
}

func (n *normaliser) reference(out *object, m member, at string) {
	s, ok := m.value.(string)
	if !ok {
		return
	}
	switch anchor, isAnchor := strings.CutPrefix(s, "#"); {
	case m.key == "$recursiveRef":
		out.set("$ref", "#")
	case m.key == "$ref":
		if n.id != "" {
			if rest, own := strings.CutPrefix(s, n.id); own && (rest == "" || rest[0] == '#') {
				s = "#" + strings.TrimPrefix(rest, "#")
			}
		}
		out.set("$ref", s)
	case m.key == "$anchor":
		out.set("$anchor", s)
	case isAnchor && anchor != "":
		out.set("$anchor", anchor)
	case m.key == "$id" && at != "":
		out.set("$id", s)
	}
}

// named handles the keywords that hold schemas by name.
func (n *normaliser) named(out *object, m member, here string) {
	in, ok := m.value.(*object)
	if !ok {
		return
	}
	named := &object{}
	for _, p := range in.members {
		if Plain(p.key) != p.key {
			n.fail(here, "the name %+q holds invisible characters", p.key)
			return
		}
		if m.key == "patternProperties" && !compiles(p.key) {
			continue
		}
		if child, ok := p.value.(*object); ok && m.key == "properties" {
			if must, _ := child.get("required"); must == true { // draft 3
				requiredNames(out, []any{p.key})
			}
		}
		named.members = append(named.members, member{p.key, n.schema(p.value, here+"/"+p.key)})
	}
	out.set(m.key, named)
}

// dependencies of draft 4 to 7 are two keywords since.
func (n *normaliser) dependencies(out *object, m member, here string) {
	in, ok := m.value.(*object)
	if !ok {
		return
	}
	names, schemas := &object{}, &object{}
	for _, p := range in.members {
		if list, ok := p.value.([]any); ok {
			names.set(p.key, list)
		} else {
			schemas.set(p.key, n.schema(p.value, here+"/"+p.key))
		}
	}
	if len(names.members) > 0 {
		out.set("dependentRequired", names)
	}
	if len(schemas.members) > 0 {
		out.set("dependentSchemas", schemas)
	}
}

// items as a list are prefixItems since 2020-12, with additionalItems as items.
func (n *normaliser) items(in, out *object, m member, here string) {
	list, ok := m.value.([]any)
	if !ok {
		out.set("items", n.schema(m.value, here))
		return
	}
	if len(list) > 0 {
		n.several(out, member{"prefixItems", list}, here)
	}
	if rest, ok := in.get("additionalItems"); ok && rest != nil {
		out.set("items", n.schema(rest, here))
	}
}

func (n *normaliser) several(out *object, m member, here string) {
	in, ok := m.value.([]any)
	if !ok || len(in) == 0 {
		return
	}
	list := make([]any, len(in))
	for i, v := range in {
		list[i] = n.schema(v, fmt.Sprintf("%s/%d", here, i))
	}
	out.set(m.key, list)
}

// values are taken as they are: what a check compares with must not change.
func (n *normaliser) values(out *object, m member, here string) {
	_, list := m.value.([]any)
	checked := m.key == "enum" || m.key == "const"
	switch {
	case m.key == "enum" && !list:
	case same(plainTree(m.value), m.value):
		out.set(m.key, m.value)
	case checked:
		n.fail(here, "a value holds invisible characters")
	}
}

func same(a, b any) bool { return string(writeTree(a)) == string(writeTree(b)) }

// plainTree makes every text of a value Plain.
func plainTree(v any) any {
	switch v := v.(type) {
	case string:
		return Plain(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plainTree(x)
		}
		return out
	case *object:
		out := &object{}
		for _, m := range v.members {
			out.set(Plain(m.key), plainTree(m.value))
		}
		return out
	}
	return v
}

func requiredNames(out *object, v any) {
	in, ok := v.([]any)
	if !ok {
		return
	}
	have, _ := out.get("required")
	names, _ := have.([]any)
	for _, x := range in {
		if s, ok := x.(string); ok && !slices.Contains(names, any(s)) {
			names = append(names, s)
		}
	}
	if len(names) > 0 {
		out.set("required", names)
	}
}

func setType(out *object, v any) {
	switch t := v.(type) {
	case string:
		if t != "any" {
			out.set("type", t)
		}
	case []any:
		var types []any
		for _, x := range t {
			if s, ok := x.(string); ok && s == "any" {
				return
			}
			if !slices.Contains(types, x) {
				types = append(types, x)
			}
		}
		switch len(types) {
		case 0:
		case 1:
			out.set("type", types[0])
		default:
			out.set("type", types)
		}
	default:
		out.set("type", v) // refused when it is compiled
	}
}

// bound turns draft 4's exclusiveMinimum:true beside minimum into the number
// that it is since draft 6.
func bound(in, out *object, m member) {
	if flag, ok := m.value.(bool); ok {
		plain := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[m.key]
		if limit, _ := in.get(plain); flag && limit != nil {
			out.set(m.key, limit)
		}
		return
	}
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[m.key]
	if flag, _ := in.get(exclusive); flag == true {
		return
	}
	out.set(m.key, m.value)
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil && Plain(pattern) == pattern
}
