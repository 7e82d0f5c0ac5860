// Package attempt is the stages around one run of a call: it waits for what the
// tool needs, writes down what stood there before, tries again what may be
// tried again.
//
//	Escalate → (approval, in it, once more) → gate → Checkpoint → Retry → run
//
// Never: run anything with effects twice by itself; ask a person while a lock is
// held.
//
// # Concurrency
//
// Stages are safe for concurrent use; one call goes through them on one
// goroutine.
package attempt
