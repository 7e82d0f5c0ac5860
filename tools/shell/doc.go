// Package shell holds the tool exec_command: a shell line run with pipes, a
// deadline and a process group of its own.
//
// Never: leave a process behind; keep more than a bounded part of an output in
// memory; hand a key of a model provider to a command; decide whether a command
// may run (the policy does).
//
// # Concurrency
//
// An Exec is safe for concurrent use. Each call has one goroutine that reads
// the pipe, one that waits for the process and one that waits for its watchdog
// (a process that kills the command when this one is killed); all end before
// the call does, save for a process that the system cannot kill.
package shell
