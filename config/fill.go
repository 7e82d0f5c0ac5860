package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/tailscale/hujson"
)

// walker sets fields of Settings from a tree and collects what is wrong.
type walker struct {
	layer    Layer
	problems []Problem
}

func (w *walker) tell(n node, key, text string) {
	if !strings.HasPrefix(key, "companion") {
		key = "companion." + key
	}
	w.problems = append(w.problems, Problem{Layer: w.layer.Name, Line: n.line, Key: key, Text: text})
}

func (w *walker) fill(s *Settings, tree *object) {
	w.object(reflect.ValueOf(s).Elem(), tree, "")
}

func (w *walker) object(dst reflect.Value, o *object, at string) {
	for _, name := range o.names {
		n := o.members[name]
		key := join(at, name)
		f, ok := field(dst.Type(), name)
		if !ok {
			w.tell(n, key, "is no setting of companion"+nearIn(dst.Type(), name))
			continue
		}
		w.value(dst.FieldByIndex(f.Index), f.Tag, n, key)
	}
}

// value sets one place; a wrong value leaves it as it was.
func (w *walker) value(dst reflect.Value, tag reflect.StructTag, n node, key string) {
	if n.value == nil {
		return // null: the layer says nothing
	}
	if dst.Type() == reflect.TypeFor[json.RawMessage]() {
		std, err := hujson.Standardize(append([]byte(nil), n.source...))
		if err == nil {
			dst.SetBytes(std)
		}
		return
	}
	switch dst.Kind() {
	case reflect.Struct:
		if o, ok := n.value.(*object); ok {
			w.object(dst, o, key)
			return
		}
		w.tell(n, key, "is a JSON object, not "+shown(n))
	case reflect.Map:
		w.entries(dst, n, key)
	case reflect.Slice:
		w.list(dst, n, key)
	default:
		w.scalar(dst, tag, n, key)
	}
}

func (w *walker) entries(dst reflect.Value, n node, key string) {
	o, ok := n.value.(*object)
	if !ok {
		w.tell(n, key, "is a JSON object, not "+shown(n))
		return
	}
	merged := reflect.MakeMap(dst.Type())
	for _, k := range dst.MapKeys() {
		merged.SetMapIndex(k, dst.MapIndex(k))
	}
	for _, name := range o.names {
		elem := reflect.New(dst.Type().Elem()).Elem()
		if old := merged.MapIndex(reflect.ValueOf(name)); old.IsValid() {
			elem.Set(old)
		}
		w.value(elem, "", o.members[name], join(key, name))
		merged.SetMapIndex(reflect.ValueOf(name), elem)
	}
	dst.Set(merged)
}

// list replaces what earlier layers said, but rules, which add up: a deny of
// any layer must hold.
func (w *walker) list(dst reflect.Value, n node, key string) {
	items, ok := n.value.([]node)
	if !ok {
		w.tell(n, key, "is a JSON array, not "+shown(n))
		return
	}
	out := reflect.MakeSlice(dst.Type(), 0, len(items))
	if dst.Type() == reflect.TypeFor[[]Rule]() {
		out = reflect.AppendSlice(out, dst)
	}
	for i, item := range items {
		before := len(w.problems)
		elem := reflect.New(dst.Type().Elem()).Elem()
		w.value(elem, "", item, fmt.Sprintf("%s[%d]", key, i))
		if len(w.problems) == before || holds(elem, w.problems[before:]) {
			out = reflect.Append(out, elem)
		}
	}
	dst.Set(out)
}

// holds tells whether a rule that is wrong in part still says what to keep from
// happening: to leave it out would allow that. One whose action is none that
// there is asks.
func holds(elem reflect.Value, wrong []Problem) bool {
	r, ok := elem.Addr().Interface().(*Rule)
	if !ok {
		return false
	}
	for _, p := range wrong {
		switch name := p.Key[strings.LastIndexByte(p.Key, '.')+1:]; name {
		case "effect", "tool", "pattern":
			return false
		case "action":
			r.Action = "ask"
		}
	}
	return (r.Action == "ask" || r.Action == "deny") && r.Effect+r.Tool+r.Pattern != ""
}

func (w *walker) scalar(dst reflect.Value, tag reflect.StructTag, n node, key string) {
	switch dst.Kind() {
	case reflect.Pointer:
		elem := reflect.New(dst.Type().Elem())
		before := len(w.problems)
		w.scalar(elem.Elem(), tag, n, key)
		if len(w.problems) == before {
			dst.Set(elem)
		}
	case reflect.String:
		s, ok := n.value.(string)
		if !ok {
			w.tell(n, key, "is a string, not "+shown(n))
			return
		}
		if enum := tag.Get("enum"); enum != "" && !contains(strings.Split(enum, ","), s) {
			w.tell(n, key, fmt.Sprintf("is one of %s, not %q", strings.ReplaceAll(enum, ",", ", "), s))
			return
		}
		dst.SetString(s)
	case reflect.Bool:
		b, ok := n.value.(bool)
		if !ok {
			w.tell(n, key, "is true or false, not "+shown(n))
			return
		}
		dst.SetBool(b)
	case reflect.Int:
		num, ok := n.value.(json.Number)
		i, err := strconv.ParseInt(num.String(), 10, 32)
		if !ok || err != nil {
			w.tell(n, key, "is a whole number, not "+shown(n))
			return
		}
		if least, err := strconv.ParseInt(tag.Get("min"), 10, 64); err == nil && i < least {
			w.tell(n, key, fmt.Sprintf("is at least %d, not %d", least, i))
			return
		}
		if most, err := strconv.ParseInt(tag.Get("max"), 10, 64); err == nil && i > most {
			w.tell(n, key, fmt.Sprintf("is at most %d, not %d", most, i))
			return
		}
		dst.SetInt(i)
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func shown(n node) string {
	s := string(n.source)
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func field(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("json") == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func isCardField(name string) bool {
	_, ok := field(reflect.TypeFor[Card](), name)
	return ok
}

// known tells whether a bare top-level name is one of ours, possibly dotted.
func known(name string) bool {
	_, ok := field(reflect.TypeFor[Settings](), strings.SplitN(name, ".", 2)[0])
	return ok
}

func nearIn(t reflect.Type, name string) string {
	best, dist := "", 3
	for i := range t.NumField() {
		tag := t.Field(i).Tag.Get("json")
		if d := levenshtein.ComputeDistance(tag, name); d < dist {
			best, dist = tag, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
