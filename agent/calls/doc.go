// Package calls runs the calls of one step: each through the pipeline, beside
// others where that changes nothing, and tells their life as events.
//
// Never: decide which calls may run beside each other (package gate does); leave
// a call without a tool.completed and a result.
//
// # Concurrency
//
// A Step belongs to the goroutine of its turn. Each call has a goroutine of its
// own from the moment that it is complete in the stream, and its place in the
// step's gate.Line from the moment that it is seen. A call that outlives the turn's stop by tools.Grace is left
// behind: what it says later is dropped, what it changes is still recorded.
package calls
