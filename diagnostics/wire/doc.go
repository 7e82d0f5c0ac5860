// Package wire is the talk with a language server below its meaning: the
// process, JSON-RPC messages, and LSP's JSON for what companion reads of it.
//
// Never: keep state about documents; block on a peer that does not read (an
// Outbox queues); trust a range.
//
// # Concurrency
//
// Peer, Outbox and the transports are safe for concurrent use. Handlers run on
// the goroutine of Peer.Run.
package wire
