package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Of generates the JSON Schema of the struct that a tool's Prepare
// decodes. Properties keep the order of the fields; fields without omitempty
// are required; additionalProperties is false at every level. Tags: json names
// the property, desc describes it (default, range, unit), enum lists its values
// separated by "|", min and max bound a number, or the length of an array. A
// type that has no JSON form is a bug and panics.
func Of[T any]() json.RawMessage {
	var b bytes.Buffer
	writeSchema(&b, reflect.TypeFor[T](), "")
	return b.Bytes()
}

// Form is the schema of T, compiled, for a tool that fits its own arguments. One
// that does not compile is a bug and panics.
func Form[T any]() *Schema {
	s, err := Compile(Of[T]())
	if err != nil {
		panic(fmt.Sprintf("the schema of %s: %v", reflect.TypeFor[T](), err))
	}
	return s
}

func writeSchema(b *bytes.Buffer, t reflect.Type, tag reflect.StructTag) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	b.WriteString(`{"type":`)
	switch t.Kind() {
	case reflect.Bool:
		b.WriteString(`"boolean"`)
	case reflect.Int, reflect.Int32, reflect.Int64:
		b.WriteString(`"integer"`)
		writeBounds(b, tag, "minimum", "maximum")
	case reflect.Float64:
		b.WriteString(`"number"`)
		writeBounds(b, tag, "minimum", "maximum")
	case reflect.String:
		b.WriteString(`"string"`)
		if values := tag.Get("enum"); values != "" {
			b.WriteString(`,"enum":` + string(mustJSON(strings.Split(values, "|"))))
		}
	case reflect.Slice:
		b.WriteString(`"array","items":`)
		writeSchema(b, t.Elem(), "")
		writeBounds(b, tag, "minItems", "maxItems")
	case reflect.Struct:
		writeObject(b, t)
	default:
		panic(fmt.Sprintf("schema.Of: %s has no schema", t))
	}
	if desc := tag.Get("desc"); desc != "" {
		b.WriteString(`,"description":` + string(mustJSON(desc)))
	}
	b.WriteString(`}`)
}

func writeObject(b *bytes.Buffer, t reflect.Type) {
	b.WriteString(`"object","properties":{`)
	var required []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(strconv.Quote(name) + ":")
		writeSchema(b, f.Type, f.Tag)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	b.WriteString(`}`)
	if len(required) > 0 {
		b.WriteString(`,"required":` + string(mustJSON(required)))
	}
	b.WriteString(`,"additionalProperties":false`)
}

func writeBounds(b *bytes.Buffer, tag reflect.StructTag, low, high string) {
	if v := tag.Get("min"); v != "" {
		fmt.Fprintf(b, `,%q:%s`, low, v)
	}
	if v := tag.Get("max"); v != "" {
		fmt.Fprintf(b, `,%q:%s`, high, v)
	}
}

// mustJSON encodes strings, which cannot go wrong, without escaping for HTML.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
