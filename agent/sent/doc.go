// Package sent is what a model is sent of a thread: requests, each beginning
// with the one before; how much of the window they take; and what takes the
// place of a thread that has become too long.
//
// Never: run a call; break a prefix without saying why.
//
// # Concurrency
//
// A Thread belongs to the goroutine of the running turn, but for Size and
// BeginAnew.
package sent
