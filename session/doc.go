// Package session keeps threads on disk: an append-only JSONL log per thread
// (versioned; a torn tail is cut to its last newline), from which history and
// events are replayed. A thread belongs to the process that holds its lock
// file; others may read it.
//
// Never: rewrite a record; hold a secret; know models or tools.
//
// # Concurrency
//
// Store and the Log that it hands out are safe for concurrent use.
package session
