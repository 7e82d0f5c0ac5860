// Package command takes a shell line apart before it runs: every simple
// command in it, through wrappers, quoting and substitutions, and every file
// that it redirects to or from. It knows which commands only read, which
// arguments make a command do more than its name says, and which prefix a
// person may allow for good.
//
// A line is read as bash reads it. What is not fully understood is said to be
// so; what then still can be made out serves denials only.
//
// Never: run anything; allow or deny; call a line understood that it is not.
package command
