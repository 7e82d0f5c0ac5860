// Package fake is an editor for tests and demonstrations: an LSP client with
// open buffers and versions, which speaks to a language server over any
// io.ReadWriteCloser and checks every byte that comes back.
//
// It shares no code with the product: framing, positions and edits are its own,
// so that it can be an honest oracle. What breaks the protocol or what the
// editor did not offer is collected and told by Problems; the editor goes on.
//
// Never: import anything of the product; import testing; guess an answer that nobody
// prepared; apply an edit that does not fit.
//
// # Concurrency
//
// All methods of Editor are safe for concurrent use. One goroutine reads and
// one writes; both end when the connection does. Answers to the server are
// queued, never waited for, so the two sides cannot block each other. It runs
// in a testing/synctest bubble.
package fake
