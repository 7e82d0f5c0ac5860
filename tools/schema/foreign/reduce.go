package foreign

import (
	"encoding/json"
	"slices"
	"strings"
)

// Budget is the most bytes of one schema of arguments from outside that a model
// is shown, compact (tools.md, Budgets).
const Budget = 5_000

// Reduce makes a schema that Normalise gave fit into budget bytes, losing as
// little as it can: first definitions that nothing refers to, then texts
// (examples and titles, nested descriptions, long descriptions, all), then
// definitions, then depth. ok is false when the names of its parameters alone
// are more. It is for reading: arguments are checked against the whole schema.
func Reduce(normalised json.RawMessage, budget int) (reduced json.RawMessage, ok bool) {
	if len(normalised) <= budget {
		return normalised, true
	}
	tree, err := parseTree(normalised)
	root, isObject := tree.(*object)
	if err != nil || !isObject {
		return nil, false
	}
	passes := []func(){
		func() { pruneDefinitions(root) },
		func() { eachBelow(root, 0, func(o *object, _ int) { o.drop("examples", "title", "$comment") }) },
		func() { shortenTexts(root, 2, 0) },
		func() { shortenTexts(root, 0, 120) },
		func() { shortenTexts(root, 0, 0) },
		func() { dropDefinitions(root) },
	}
	for depth := 4; depth >= 1; depth-- {
		passes = append(passes, func() { cutDepth(root, depth) })
	}
	for _, pass := range passes {
		pass()
		if out := writeTree(root); len(out) <= budget {
			return out, true
		}
	}
	return nil, false
}

// children gives every schema directly inside o, with where to put another.
func children(o *object, visit func(child any, put func(any))) {
	for i := range o.members {
		m := &o.members[i]
		switch m.key {
		case "properties", "$defs", "definitions", "dependentSchemas", "patternProperties":
			if named, ok := m.value.(*object); ok {
				for j := range named.members {
					visit(named.members[j].value, func(v any) { named.members[j].value = v })
				}
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if list, ok := m.value.([]any); ok {
				for j := range list {
					visit(list[j], func(v any) { list[j] = v })
				}
			}
		case "items", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
			"unevaluatedProperties", "contentSchema", "additionalProperties":
			visit(m.value, func(v any) { m.value = v })
		}
	}
}

// eachBelow visits o, at depth 0, and every object schema inside it.
func eachBelow(o *object, depth int, visit func(o *object, depth int)) {
	visit(o, depth)
	children(o, func(child any, _ func(any)) {
		if c, ok := child.(*object); ok {
			eachBelow(c, depth+1, visit)
		}
	})
}

// shortenTexts cuts descriptions from a depth on to at most limit bytes.
func shortenTexts(root *object, from, limit int) {
	eachBelow(root, 0, func(o *object, depth int) {
		text, _ := o.get("description")
		s, ok := text.(string)
		switch {
		case !ok || depth < from || len(s) <= limit:
		case limit == 0:
			o.drop("description")
		default:
			o.set("description", strings.ToValidUTF8(s[:limit-len("…")], "")+"…")
		}
	})
}

// pruneDefinitions drops definitions that nothing refers to.
func pruneDefinitions(root *object) {
	for {
		used := string(writeTree(root))
		dropped := false
		for _, key := range []string{"$defs", "definitions"} {
			value, _ := root.get(key)
			defs, ok := value.(*object)
			if !ok {
				continue
			}
			before := len(defs.members)
			defs.members = slices.DeleteFunc(defs.members, func(m member) bool {
				quoted := mustJSON("#/" + key + "/" + m.key)
				own, ofSelf := string(writeTree(m.value)), string(quoted[:len(quoted)-1])
				return !strings.Contains(used, `nchor"`) && !strings.Contains(used, `"$id"`) &&
					!strings.ContainsAny(m.key, "~/%") && strings.Count(used, ofSelf) == strings.Count(own, ofSelf)
			})
			dropped = dropped || len(defs.members) < before
			if len(defs.members) == 0 {
				root.drop(key)
			}
		}
		if !dropped {
			return
		}
	}
}

// dropDefinitions puts in the place of each reference what its target's type
// is, and drops the definitions.
func dropDefinitions(root *object) {
	eachBelow(root, 0, func(o *object, _ int) {
		ref, ok := o.get("$ref")
		if !ok {
			_, ok = o.get("$dynamicRef")
		}
		if !ok {
			return
		}
		text, _ := ref.(string)
		target, _ := lookup(root, text)
		o.drop("$ref", "$dynamicRef", "unevaluatedProperties", "unevaluatedItems")
		if kind, ok := childOf(target, "type"); ok {
			if _, have := o.get("type"); !have {
				o.set("type", kind)
			}
		}
	})
	eachBelow(root, 0, func(o *object, _ int) { o.drop("$defs", "definitions", "$anchor", "$dynamicAnchor", "$id") })
}

// cutDepth leaves of schemas at depth the type alone.
func cutDepth(root *object, depth int) {
	eachBelow(root, 0, func(o *object, at int) {
		if at != depth {
			return
		}
		bare := &object{}
		for _, m := range o.members {
			if m.key == "type" || m.key == "description" {
				bare.members = append(bare.members, m)
			}
		}
		complete(bare, bare)
		o.members = bare.members
	})
}
