// Package schema generates, compiles and applies the JSON Schemas of tool
// arguments: what a model sent becomes either arguments that fit or words that
// say where and how they do not. It is a leaf.
//
// Never: open what a schema refers to; change a value where something would be
// lost.
package schema
