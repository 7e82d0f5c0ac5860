// Package walk lists the files below a folder, in one order on every machine:
// by path, component by component, names by their bytes. Ignore files count as
// git reads them, and symlinks are named and never followed.
//
// Never: open a file other than an ignore file or git's own configuration; know
// tools or permissions.
//
// # Concurrency
//
// A Tree may be used by many goroutines at once. Files reads folders on a few
// goroutines of its own, which have ended when it returns.
package walk
