// Package disk reads files whole and replaces them at once or not at all,
// through a handle of their folder, so that a folder swapped for a link cannot
// lead a write elsewhere. workspace is its only user.
//
// Never: decide what may be written, know editors, or change bytes, mode bits
// or owner that its caller did not name.
//
// # Concurrency
//
// Functions are safe for concurrent use; writers of one file are to hold its
// lock (Locks). Other processes hold no lock: a file that they changed since it
// was read is ErrStale up to the moment of the rename.
package disk
