// Package diagnostics knows what language servers say of the files: it starts
// the servers that a file needs, keeps their documents in step with the
// workspace, waits until an edit's diagnostics are known, and tells what an
// edit caused.
//
// The rule above all: what is told is of the present text or is said not to be
// known. A bound that passes gives "not known yet", never "clean"; a server
// that names no versions gives "unconfirmed".
//
// Never: write a file; start a command that lies inside the workspace unless it
// is trusted; report the diagnostics of an older text for the new one; block an
// edit on a server that does not answer.
//
// # Concurrency
//
// All methods of Service are safe for concurrent use. The workspace's observer
// only queues (documents are sent without waiting). Every goroutine belongs to
// the Service's wait group; Close ends the servers and waits for them.
package diagnostics
