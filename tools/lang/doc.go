// Package lang is what language servers know of code, in the words of tools:
// problems, what an edit did to them, code actions, edits, symbols. Package
// tools names these types too.
//
// Never: ask anybody; hold more than data.
package lang
