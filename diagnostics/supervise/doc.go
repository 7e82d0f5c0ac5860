// Package supervise keeps one language server running: it starts it, starts it
// again when it dies, at most three times, and tells who waits why it is not
// there.
//
// Never: wait for a start that somebody waited for in vain before; restart a
// server that did not answer initialize.
//
// # Concurrency
//
// All methods are safe for concurrent use; Run has one caller.
package supervise
