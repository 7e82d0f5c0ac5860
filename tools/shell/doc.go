// Package shell holds the tools that run programs: exec_command, write_stdin,
// list_sessions and stop_session. A command that is not done when its call has
// waited long enough goes on as a session of its thread.
//
// Never: leave a process behind; keep more than a bounded part of an output in
// memory; hand a key of a model provider to a command; decide whether a command
// may run (the policy does).
//
// # Concurrency
//
// A Shell is safe for concurrent use. It has no goroutines of its own; those of
// sessions end with them.
package shell
