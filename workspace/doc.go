// Package workspace is the only writer of the user's files. It knows the roots,
// the canonical identity of files, and holds the single write path: through the
// editor for open files and as far as it reaches (Reacher), atomically on disk
// for the others, all of a set or none. Package place names files, package disk
// reads and replaces them, package mirror knows the editor's buffers.
//
// A tool whose Change is for the text that the model read sets Merge: what the
// user typed since, also while an approval was open or the editor was asked,
// then survives beside it, or a *ConflictError has the present lines.
//
// Never: re-encode bytes that an edit does not name; write outside the roots
// unless the caller says that this was allowed; trust an editor's "applied".
//
// # Concurrency
//
// All methods of Workspace are safe for concurrent use. Writers of one file are
// serialised. Did* methods (the mirror) never block on an Apply; an Apply waits
// for the didChange that follows its edit, so its caller must not be the
// goroutine that brings notifications in. Observers are called one at a time and
// may read, not write.
package workspace
