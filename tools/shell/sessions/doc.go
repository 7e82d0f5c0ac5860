// Package sessions keeps the commands that run: which thread each belongs to,
// how it ended, and what of its output was given out already.
//
// Never: let one thread reach another's session; keep more than Most sessions
// for a thread; leave a command running when its thread or the store is closed.
//
// # Concurrency
//
// A Store and a Session are safe for concurrent use. Each Session has one
// goroutine that waits for its end and brings it about; it ends with Done.
package sessions
