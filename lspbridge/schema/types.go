package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"companion/lspbridge/companion"
	"companion/lspbridge/wire"
	"companion/session"
)

// shape is a type on the wire, apart from how it is written down.
type shape struct {
	kind string // string, integer, number, boolean, object, any, array, map, ref
	ref  string
	elem *shape
	enum []string
}

// member is a field of a def.
type member struct {
	name, doc string
	shape     shape
	required  bool
}

// def is a named object, or a union of others.
type def struct {
	name    string
	members []member
	union   []string
	// constant is the value of the member "type", for events.
	constant string
}

// world is everything that is written down.
type world struct {
	defs  map[string]*def
	order []string
}

// names are those of types whose Go name is not that of the wire.
func names() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[session.Info]():               "Thread",
		reflect.TypeFor[session.Input]():              "Input",
		reflect.TypeFor[wire.Flags]():                 "CompanionCapabilities",
		reflect.TypeFor[wire.InitializationOptions](): "InitializationOptions",
	}
}

// collect walks all methods, events and what the handshake carries.
func collect() *world {
	w := &world{defs: map[string]*def{}}
	w.named(reflect.TypeFor[wire.Flags]())
	w.named(reflect.TypeFor[wire.InitializationOptions]())
	w.named(reflect.TypeFor[wire.ToolProgress]())
	for _, m := range all() {
		w.of(m.Params, "")
		if m.Result != nil {
			w.of(m.Result, "")
		}
	}
	return w
}

func all() []companion.Method { return append(companion.FromEditor(), companion.ToEditor()...) }

// event adds the union of all events.
func (w *world) event() {
	union := &def{name: "Event"}
	w.add(union)
	for _, e := range wire.EventShapes() {
		d := &def{name: title(string(e.Type)) + "Event", constant: string(e.Type)}
		union.union = append(union.union, d.name)
		w.add(d)
		w.fields(d, e.Body)
	}
}

// title is "TurnStarted" for "turn.started".
func title(s string) string {
	var b strings.Builder
	for _, part := range strings.Split(s, ".") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func (w *world) add(d *def) {
	w.defs[d.name] = d
	w.order = append(w.order, d.name)
}

// named gives the name of a struct type and has its def made.
func (w *world) named(t reflect.Type) string {
	name, ok := names()[t]
	if !ok {
		name = t.Name()
	}
	if w.defs[name] != nil {
		return name
	}
	if t == reflect.TypeFor[wire.Event]() {
		w.event()
		return name
	}
	if t == reflect.TypeFor[session.Input]() {
		return w.named(reflect.TypeFor[wire.Input]())
	}
	d := &def{name: name}
	w.add(d)
	w.fields(d, t)
	return name
}

func (w *world) fields(d *def, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			w.fields(d, f.Type)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		m := member{name: name, doc: f.Tag.Get("desc"), required: !strings.Contains(options, "omitempty") || f.Tag.Get("need") != ""}
		if name == "type" && d.constant != "" {
			m.shape = shape{kind: "string", enum: []string{d.constant}}
		} else {
			m.shape = w.of(f.Type, f.Tag.Get("type"))
		}
		if e := f.Tag.Get("enum"); e != "" {
			m.shape.enum = strings.Split(e, "|")
		}
		d.members = append(d.members, m)
	}
}

// of gives the shape of a Go type; raw names what json.RawMessage holds.
func (w *world) of(t reflect.Type, raw string) shape {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return w.raw(raw)
	case t == reflect.TypeFor[[]json.RawMessage]():
		if raw == "" {
			raw = "object"
		}
		e := w.raw(strings.TrimSuffix(raw, "[]"))
		return shape{kind: "array", elem: &e}
	case t == reflect.TypeFor[time.Time]():
		return shape{kind: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.of(t.Elem(), raw)
	case reflect.Interface:
		return shape{kind: "any"}
	case reflect.String:
		return shape{kind: "string"}
	case reflect.Bool:
		return shape{kind: "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return shape{kind: "integer"}
	case reflect.Float64:
		return shape{kind: "number"}
	case reflect.Slice:
		e := w.of(t.Elem(), "")
		return shape{kind: "array", elem: &e}
	case reflect.Map:
		e := w.of(t.Elem(), "")
		return shape{kind: "map", elem: &e}
	case reflect.Struct:
		return shape{kind: "ref", ref: w.named(t)}
	}
	panic(fmt.Sprintf("schema: %s has no form on the wire", t)) // a bug, seen by every test
}

func (w *world) raw(name string) shape {
	switch name {
	case "":
		return shape{kind: "any"}
	case "object":
		return shape{kind: "object"}
	case "DiagReport":
		return shape{kind: "ref", ref: w.named(reflect.TypeFor[session.DiagReport]())}
	case "Event":
		return shape{kind: "ref", ref: w.named(reflect.TypeFor[wire.Event]())}
	}
	panic("schema: raw JSON of unknown type " + name)
}

// sorted are the defs by name.
func (w *world) sorted() []*def {
	order := slices.Sorted(slices.Values(w.order))
	out := make([]*def, len(order))
	for i, n := range order {
		out[i] = w.defs[n]
	}
	return out
}
