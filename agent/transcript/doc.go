// Package transcript is one thread's past: the items that models were sent and
// answered, and the durable events, in memory and in the thread's log.
//
// Never: tell an event before it is in the log; change an item; give out a
// history in which a call lacks its result (Heal).
//
// # Concurrency
//
// Emit, Write and the readers of Info and Err may be called from any goroutine;
// everything else belongs to the goroutine of the running turn.
package transcript
