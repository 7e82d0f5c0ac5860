// Package intent writes down, in the state folder, what a set of changes is
// about to do to files, so that the next start of companion can take back a set
// in the middle of which a process died: each file gets its old bytes again, or
// is left as it is where another hand has changed it since.
//
// An entry holds the old bytes of every file and the hashes of the new ones. It
// goes when the set is complete. A set of several files is on the disk before
// the first of them is touched; that of a single file, which is replaced at
// once anyway, only keeps its temporary file from staying.
//
// Never: touch a file whose content is neither that from before nor that from
// after; touch an entry whose process lives; undo what an editor's buffer holds.
//
// # Concurrency
//
// Safe for concurrent use, also by several processes: an entry is locked as long
// as its process works on it.
package intent
