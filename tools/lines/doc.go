// Package lines reads lines out of texts of any size: a text is scanned once,
// in pieces, for its charset and for where lines begin, and any part of it is
// then read without what stands before. What was learned of a file on disk is
// kept while the file is the same.
//
// Never: hold a file whole; wait for a file that keeps its reader waiting; write.
//
// # Concurrency
//
// Files is safe for concurrent use. A Text belongs to one goroutine at a time.
package lines
