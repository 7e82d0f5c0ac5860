package schema

import "slices"

// flat is what one place of a schema says about a value there, with references
// followed and allOf, anyOf and oneOf taken together.
type flat struct {
	types    []string // the JSON types that may stand there; none = not known
	props    map[string]any
	required []string
	items    any
	prefix   []any
	branches []any // of anyOf and oneOf
}

// maxHops bounds references and combinations, which may go in circles.
const maxHops = 16

func (c coercer) flat(schema any) flat { return c.flatten(schema, 0) }

func (c coercer) flatten(schema any, hops int) flat {
	node, ok := schema.(map[string]any)
	if !ok || hops > maxHops {
		return flat{}
	}
	f := flat{types: named(node), items: node["items"]}
	f.props, _ = node["properties"].(map[string]any)
	f.prefix, _ = node["prefixItems"].([]any)
	for _, name := range list(node["required"]) {
		if s, ok := name.(string); ok {
			f.required = append(f.required, s)
		}
	}
	if ref, ok := node["$ref"].(string); ok {
		if target, ok := Follow(c.root, ref, childOf); ok {
			f.and(c.flatten(target, hops+1))
		}
	}
	for _, part := range list(node["allOf"]) {
		f.and(c.flatten(part, hops+1))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		branches := list(node[key])
		if len(branches) == 0 {
			continue
		}
		f.branches = append(f.branches, branches...)
		f.narrow(c.union(branches, hops))
	}
	return f
}

// union are the types of all branches, none when one of them may be anything.
func (c coercer) union(branches []any, hops int) (types []string) {
	for _, b := range branches {
		of := c.flatten(b, hops+1).types
		if len(of) == 0 {
			return nil
		}
		for _, t := range of {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	return types
}

// and adds what another schema says of the same value.
func (f *flat) and(o flat) {
	f.narrow(o.types)
	if len(o.props) > 0 {
		all := make(map[string]any, len(f.props)+len(o.props))
		for _, props := range []map[string]any{o.props, f.props} {
			for k, v := range props {
				all[k] = v
			}
		}
		f.props = all
	}
	f.required = append(f.required, o.required...)
	if f.items == nil {
		f.items = o.items
	}
	if f.prefix == nil {
		f.prefix = o.prefix
	}
	f.branches = append(f.branches, o.branches...)
}

func (f *flat) narrow(types []string) {
	switch {
	case len(types) == 0:
	case len(f.types) == 0:
		f.types = types
	default:
		both := slices.DeleteFunc(slices.Clone(f.types), func(t string) bool { return !slices.Contains(types, t) })
		if len(both) > 0 { // else nothing fits, which the check tells better
			f.types = both
		}
	}
}

// branch adds to f the one branch that v can be of, judged by its type and by
// the constants of its properties; where several are left, none.
func (c coercer) branch(f flat, v map[string]any) flat {
	var fits []flat
	for _, b := range f.branches {
		one := c.flat(b)
		if len(one.types) > 0 && !slices.Contains(one.types, "object") || !c.constantsFit(one, v) {
			continue
		}
		fits = append(fits, one)
	}
	if len(fits) == 1 {
		f.and(fits[0])
	}
	return f
}

// constantsFit tells whether no property that a branch fixes says otherwise.
func (c coercer) constantsFit(f flat, v map[string]any) bool {
	for name, prop := range f.props {
		node, _ := prop.(map[string]any)
		fixed, is := node["const"]
		if got, sent := v[name]; is && sent && fixed != got && typeOf(fixed) != "object" && typeOf(fixed) != "array" {
			return false
		}
	}
	return true
}

// named are the types that a schema names, or those of the values that it
// lists; none means any.
func named(node map[string]any) (types []string) {
	switch t := node["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, x := range t {
			if s, ok := x.(string); ok {
				types = append(types, s)
			}
		}
		return types
	}
	values := list(node["enum"])
	if fixed, ok := node["const"]; ok {
		values = []any{fixed}
	}
	for _, v := range values {
		if t := typeOf(v); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
