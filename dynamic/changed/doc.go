// Package changed finds the files that a call of somebody else's program
// changed, whether it said so or not, by comparing buffers and disk before and
// after, as far as they were known before.
//
// Never: say what a file held before when that was not seen; take for the
// call's doing what another may have done.
//
// # Concurrency
//
// A Finder is safe for concurrent use.
package changed
