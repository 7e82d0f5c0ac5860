package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Markdown renders the table of all keys for docs/settings.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| key | type | default | what it is |\n| --- | --- | --- | --- |\n")
	rows(&b, reflect.TypeFor[Settings](), "companion")
	return b.String()
}

func rows(b *strings.Builder, t reflect.Type, at string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key := at + "." + f.Tag.Get("json")
		typ, next := describe(f)
		def := f.Tag.Get("def")
		if def != "" {
			def = "`" + def + "`"
		}
		doc := f.Tag.Get("doc")
		if enum := f.Tag.Get("enum"); enum != "" {
			doc += " One of `" + strings.ReplaceAll(enum, ",", "`, `") + "`."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", key, typ, def, doc)
		if next != nil {
			if f.Type.Kind() == reflect.Map {
				key += ".NAME"
			}
			rows(b, next, key)
		}
	}
}

// describe names a field's type for people and gives the struct whose keys
// follow below it, if any.
func describe(f reflect.StructField) (string, reflect.Type) {
	t := f.Type
	switch t.Kind() {
	case reflect.Struct:
		return "object", t
	case reflect.Map:
		if e := t.Elem(); e.Kind() == reflect.Struct {
			return "object by name", e
		}
		return "object by name", nil
	case reflect.Slice:
		switch e := t.Elem(); e.Kind() {
		case reflect.Uint8:
			return "any", nil
		case reflect.Struct:
			return "list of objects", e
		default:
			return "list of strings", nil
		}
	case reflect.Pointer:
		return "true or false", nil
	case reflect.Bool:
		return "true or false", nil
	case reflect.Int:
		return "number", nil
	}
	return "string", nil
}
