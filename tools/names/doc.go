// Package names is what can be said of the names of tools without knowing any
// tool: which ways of writing one mean the same, and which names are near one
// that nobody has.
//
// Never: know a tool, a registry or a model.
package names
