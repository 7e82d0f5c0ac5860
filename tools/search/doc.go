// Package search holds the tools glob and grep. grep lets ripgrep name the files
// that may match, where one is installed outside the workspace, and walks the
// tree itself else; which lines match, and in which order, is decided here
// either way. Buffers with unsaved text are searched instead of their files.
//
// Never: write anything; run a program that lies inside the workspace; tell of
// what a file holds that may not be read.
//
// # Concurrency
//
// The tools may be called by many goroutines at once. One call reads files on as
// many goroutines as there are processors, which have ended when it returns.
package search
