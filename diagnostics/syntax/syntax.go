package syntax

import (
	"path/filepath"
	"strings"
)

// Function is the innermost function, method or named closure around a place.
type Function struct {
	Name       string // "T.Method" for Go methods, "Class.method" in classes, "" = anonymous
	Start, End int    // byte offsets of the whole definition, half open
	StartLine  int    // 0-based
	EndLine    int    // 0-based, of the last byte
}

// Available says whether parsers are built in.
func Available() bool { return available }

// Enclosing finds the innermost function that holds the byte offset. lang is an
// LSP language id, a file extension or a file name. ok is false when the place
// is in no function, the language has no parser here, or none is built in.
func Enclosing(lang, src string, offset int) (f Function, ok bool) {
	if offset < 0 || offset > len(src) {
		return Function{}, false
	}
	return enclosing(language(lang), src, offset)
}

// language names the grammar: "go", "typescript", "tsx", "python" or "".
func language(lang string) string {
	if ext := filepath.Ext(lang); ext != "" {
		lang = ext[1:]
	}
	switch strings.ToLower(lang) {
	case "go":
		return "go"
	case "ts", "mts", "cts", "typescript":
		return "typescript"
	case "tsx", "jsx", "typescriptreact", "javascriptreact", "js", "mjs", "cjs", "javascript":
		return "tsx" // a superset of JavaScript, but for <T>x casts
	case "py", "pyi", "python":
		return "python"
	}
	return ""
}
