// Package line is how turns wait for their thread: one has it, others stand in
// line, and input for the one that runs lies in its inbox.
//
// Never: know what a turn does.
//
// # Concurrency
//
// Line and Inbox are safe for concurrent use.
package line
