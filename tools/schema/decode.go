package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode fills v, a pointer to a struct that Of described. A *Misfit says in
// the words of JSON where a value stands that v cannot hold, and what was
// expected there.
func Decode(args json.RawMessage, v any) error {
	err := json.Unmarshal(args, v)
	if err == nil {
		return nil
	}
	var typ *json.UnmarshalTypeError
	if !errors.As(err, &typ) {
		return &Misfit{strings.TrimPrefix(err.Error(), "json: ") + "."}
	}
	path := typ.Field
	if path == "" {
		path = "(arguments)"
	}
	return &Misfit{fmt.Sprintf("%s: expected %s, got %s.", path, worded(typ.Type), typ.Value)}
}

// worded is a Go type as JSON has it.
func worded(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Int64:
		return fmt.Sprintf("a whole number from -2^%d to 2^%d-1, without fraction and exponent", t.Bits()-1, t.Bits()-1)
	case k >= reflect.Uint && k <= reflect.Uintptr:
		return fmt.Sprintf("a whole number from 0 to 2^%d-1, without fraction and exponent", t.Bits())
	case k == reflect.Float32, k == reflect.Float64:
		return "a number that a float can hold"
	case k == reflect.Bool:
		return "boolean"
	case k == reflect.String:
		return "string"
	case k == reflect.Slice, k == reflect.Array:
		return "array"
	}
	return "object"
}
