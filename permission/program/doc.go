// Package program is what is known of single programs: which only read, which
// arguments make one run or write more than its name says, what files their
// arguments name, and which words of a command a person may allow for good.
// It judges words that are known exactly; package command finds them.
//
// Never: parse a shell's line; allow or deny; run anything.
package program
