// Package tools is the contract of every capability that the agent has: Tool,
// Spec, Call, Action, Result; the registry that holds them; the box that one
// step of a turn sees; and the pipeline of stages through which every call
// goes. It knows no model, no editor and no file system.
//
// A call's life: lookup → validate → prepare → policy → approval → gate → run
// → limit, and after all calls of the step the feedback barrier.
//
// Never: a tool that asks for permission, waits for diagnostics, truncates,
// takes a lock or logs by itself; a switch on a tool's name; state in package
// variables.
//
// # Concurrency
//
// A Registry and a Box are safe for concurrent use; a Box is immutable. One
// Invocation belongs to one goroutine. Tool.Prepare and Action.Run of different
// calls may run at the same time unless their Locks conflict.
package tools
