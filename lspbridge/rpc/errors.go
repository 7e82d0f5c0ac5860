package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// Error is a JSON-RPC error object, as sent and as received.
type Error = jsonrpc2.Error

// Code is a JSON-RPC or LSP error code.
type Code = jsonrpc2.Code

// The codes that the connection sends (JSON-RPC 2.0, section 5.1; LSP 3.17,
// ErrorCodes).
const (
	ParseError       Code = -32700
	InvalidRequest   Code = -32600
	MethodNotFound   Code = -32601
	InvalidParams    Code = -32602
	InternalError    Code = -32603
	NotInitialized   Code = -32002
	RequestCancelled Code = -32800
	RequestFailed    Code = -32803
)

// Errors of calling the editor.
var (
	// ErrClosed: the connection has ended.
	ErrClosed = errors.New("the connection to the editor has ended")
	// ErrShape: the editor's answer cannot be decoded.
	ErrShape = errors.New("the editor's answer has the wrong shape")
)

// Errorf is an Error with a code.
func Errorf(code Code, format string, args ...any) *Error {
	return jsonrpc2.Errorf(code, format, args...)
}

// BadParam is -32602 for one field, named by its path from params:
// "arguments[0].uri". An empty path means params itself.
func BadParam(path, format string, args ...any) *Error {
	if path == "" {
		path = "params"
	}
	return jsonrpc2.Errorf(InvalidParams, "%s: %s", path, fmt.Sprintf(format, args...))
}

// Failed is -32803 with data.code, the form of all errors of our own
// (threadNotFound, turnRunning, notOffered, …).
func Failed(code, format string, args ...any) *Error {
	e := jsonrpc2.Errorf(RequestFailed, format, args...)
	data, err := json.Marshal(struct {
		Code string `json:"code"`
	}{code})
	if err == nil {
		e.Data = jsonrpc2.RawMessage(data)
	}
	return e
}

// IsCode reports whether err is an Error with the code.
func IsCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// Decode decodes params into v, a pointer to a struct. Absent and null params
// leave v as it is. A wrong type is -32602 with the field's path below prefix.
func Decode(params json.RawMessage, prefix string, v any) error {
	if len(params) == 0 || string(params) == "null" {
		return nil
	}
	err := json.Unmarshal(params, v)
	if err == nil {
		return nil
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		path := prefix
		if field := cmp.Or(placeOf(params, typ.Offset), typ.Field); field != "" {
			path = strings.TrimPrefix(prefix+"."+field, ".")
		}
		return BadParam(path, "%s where %s is expected", typ.Value, kindOf(typ.Type.Kind().String()))
	}
	return BadParam(prefix, "%v", err)
}

func kindOf(k string) string {
	switch {
	case strings.HasPrefix(k, "int"), strings.HasPrefix(k, "uint"):
		return "an integer"
	case strings.HasPrefix(k, "float"):
		return "a number"
	case k == "struct", k == "map":
		return "an object"
	case k == "slice", k == "array":
		return "an array"
	case k == "bool":
		return "true or false"
	}
	return "a " + k
}

// wireError is what goes out for an error of a handler. cancelled tells that
// the editor withdrew the request.
func wireError(err error, cancelled bool) error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case cancelled && errors.Is(err, context.Canceled):
		return Errorf(RequestCancelled, "cancelled")
	}
	return Errorf(RequestFailed, "%v", err)
}
