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
// on the goroutine that calls Turn.Run. Calls of a step start while the model
// still streams, at most 8 at a time, and behave as if run one after another:
// read-only calls run beside each other, any other call waits for all before
// it and holds up all after it. Their results go back in call order. A call
// that outlives its turn's stop by tools.Grace is left behind: what it says
// later is dropped.
//
// Sinks are called in order per thread, with the thread's lock held: they must
// not block and must not call the Agent.
package agent
