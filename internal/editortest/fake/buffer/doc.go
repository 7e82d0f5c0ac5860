// Package buffer is text as an editor has it: positions that must exist, edits
// that must fit, URIs. It is written apart from the product's text package, to
// be its oracle.
//
// Never: clamp a position; apply a part of a set of edits.
package buffer
