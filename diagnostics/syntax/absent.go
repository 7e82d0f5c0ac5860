//go:build !cgo || notreesitter

package syntax

const available = false

func enclosing(string, string, int) (Function, bool) { return Function{}, false }
