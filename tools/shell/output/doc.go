// Package output keeps what one command writes: beginning and end in memory,
// all of it in a file, its text for a model, and pieces of it for whoever
// listens as it comes.
//
// Never: start anything; keep more than a bounded part in memory or on disk;
// give a control character but newline and tab to a model or a listener.
//
// # Concurrency
//
// An Output is safe for concurrent use; Write is called by one reader at a
// time. A listener is called by the writer, or by a timer of its own, never by
// two at once, and not after Listen took it away.
package output
