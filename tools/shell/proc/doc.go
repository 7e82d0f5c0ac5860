// Package proc runs one shell line in a process group of its own, with pipes or
// with a terminal, and sees to it that nothing of it is left.
//
// Never: decide whether a line may run; look at what it writes; leave a process
// behind that the system lets it find; touch the terminal that companion itself
// has.
//
// # Concurrency
//
// A Process is safe for concurrent use. It has one goroutine that reads its
// output, one that waits for the shell and one that waits for its watchdog (a
// process that kills the command when this one is killed); all end with Reap,
// save for a process that the system cannot kill.
package proc
