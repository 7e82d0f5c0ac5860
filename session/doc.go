// Package session keeps threads on disk: an append-only JSONL log per thread
// (versioned; a torn tail is cut to its last newline), from which history and
// events are replayed.
//
// Never: rewrite a record; hold a secret; know models or tools.
package session
