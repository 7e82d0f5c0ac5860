// Package lens gives the code lenses "Keep | Undo | Diff" above each pending
// hunk, for editors that do not show changes themselves.
//
// Never: wait, read a disk; ask a client to refresh that cannot.
//
// # Concurrency
//
// Handler is safe for concurrent use. One refresh is under way at a time; those
// that come meanwhile become one.
package lens
