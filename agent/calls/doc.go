// Package calls runs the calls of one step: each through the pipeline, beside
// others where that changes nothing, and tells their life as events.
//
// Never: start a call of a tool that can change things before the calls in
// front of it have ended; leave a call without a tool.completed and a result.
//
// # Concurrency
//
// A Step belongs to the goroutine of its turn. Read-only calls run beside each
// other, at most 8 at a time; any other call waits for all before it and holds
// up all after it. A call that outlives the turn's stop by tools.Grace is left
// behind: what it says later is dropped, what it changes is still recorded.
package calls
