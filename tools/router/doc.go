// Package router decides where each tool stands in a step: in the model's list,
// found by a search, called by code, or nowhere; and whether it may be called.
//
// Places is the one answer, pure, from the tools' wishes, the model, the
// settings, the mode, who runs the step and the rules. Cache keeps a thread's
// last box for as long as nothing of that changed.
//
// Never: run a tool; ask anybody; know a vendor, a tool by its name, or what a
// rule says.
//
// # Concurrency
//
// A Cache belongs to one thread's turn. Everything else is a value.
package router
