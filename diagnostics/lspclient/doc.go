// Package lspclient is a client for one language server: the process, the
// handshake, documents in step, and what the server said of them.
//
// A Client lives as long as its server; whoever wants a restart dials again.
// Diagnostics are kept per file with the document version that they were
// computed for, so that a list of an older text never passes for the present
// one. All positions are utf-16 (the only encoding that is offered).
//
// Never: write a user's file (an edit of the server is checked and handed
// back); block on a server that does not read (writes are queued); call back
// to the server from the read goroutine and wait.
//
// # Concurrency
//
// All methods of Client are safe for concurrent use. Config.Changed is called
// on the read goroutine and must not block. Every goroutine belongs to the
// Client's wait group; Close ends them all.
package lspclient
