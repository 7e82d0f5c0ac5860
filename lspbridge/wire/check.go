package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"companion/lspbridge/rpc"
)

// Check reports, as -32602 with the field's path, what is missing in a decoded
// wire struct or not among the values of its enum tag. A field without omitempty
// is required: a text must not be empty, a list or object must be there.
// Numbers and booleans that are required are pointers. Path is that of v, ""
// for params.
func Check(v any, path string) error { return check(reflect.ValueOf(v), path) }

func check(v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return check(v.Elem(), path)
		}
	case reflect.Struct:
		return checkStruct(v, path)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() || v.Type().Elem().Kind() != reflect.Struct {
			return nil
		}
		for i := range v.Len() {
			if err := check(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkStruct(v reflect.Value, path string) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		x := v.Field(i)
		if !strings.Contains(options, "omitempty") && empty(x) {
			return rpc.BadParam(at, "missing")
		}
		if values := f.Tag.Get("enum"); values != "" && x.Kind() == reflect.String && x.String() != "" {
			if list := strings.Split(values, "|"); !slices.Contains(list, x.String()) {
				return rpc.BadParam(at, "%q is none of %s", x.String(), strings.Join(list, ", "))
			}
		}
		if err := check(x, at); err != nil {
			return err
		}
	}
	return nil
}

// empty reports whether a required value was left out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return v.Len() == 0
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		return v.IsNil()
	}
	return false
}
