// Package lsptest is a language server that does on demand what real ones do
// only when nobody looks: it is late, lies about versions, stays silent, hangs
// and dies. It speaks real LSP over a pair of pipes in the process, so it works
// in the virtual time of testing/synctest.
//
// It reports an error for each line that contains BAD, one for each line
// "NEED name" while no file that it knows has a line "DEF name", and a warning
// for each line that contains WARN.
//
// Never: import testing; touch the disk except to read what a
// didChangeWatchedFiles names.
//
// # Concurrency
//
// Server and its sessions are safe for concurrent use. Each session has its
// goroutines in a wait group that ends when its transport is closed or killed.
package lsptest
