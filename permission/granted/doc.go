// Package granted is what a person allowed a thread at its agent's request:
// paths, hosts and commands for the rest of the thread, in memory.
//
// Never: ask; take what reaches further than it says, such as an interpreter
// with any arguments.
//
// # Concurrency
//
// A Store is safe for concurrent use.
package granted
