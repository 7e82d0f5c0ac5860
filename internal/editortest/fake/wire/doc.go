// Package wire is JSON-RPC in LSP framing, read as strictly as the protocol is
// written: what is no frame is told, byte for byte.
//
// Never: guess where a frame begins.
//
// # Concurrency
//
// An Outbox and the ends of a Pipe are safe for concurrent use, in a
// testing/synctest bubble too.
package wire
