// Package agent runs turns: it asks a model, runs the tools that the model
// calls, gives it the results and asks again, until the model ends, a limit is
// reached or the person stops it. It alone maps models to tools.
//
// Words: a thread is a conversation; a turn is what one input of a person sets
// off; a step is one request to the model and the calls that came back; an item
// is one entry of the transcript.
//
// Never: know LSP; show a model a history in which a call lacks its result;
// change an item that was sent; end a turn without a turn.completed.
//
// # Concurrency
//
// Agent is safe for concurrent use. A thread runs at most one turn at a time,
// on the goroutine that calls Turn.Run; others wait in line. What touches the
// transcript's items runs on that goroutine; SetMode, Rename and the end of a
// turn that never began only emit events. How the calls of a step run beside
// each other is told in package calls.
//
// A turn whose id was given out is always told: one turn.started and one
// turn.completed. When it is stopped before it began, Stop tells both, or Run
// does when it is there already, and its input is no part of what the model
// reads.
//
// Sinks are called in order per thread, with the thread's lock held: they must
// not block and must not call the Agent.
package agent
