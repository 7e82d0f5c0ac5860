// Package screen makes text of what programs write: the last state of every
// line, without the codes that colour, move, rewrite and clear. It is a small
// terminal (ECMA-48 and what xterm adds that programs use) for programs that
// have one, and a reader of lines for those that write to a pipe.
//
// Never: start or read anything; keep more than a bounded part of what it was
// given; let a control character but newline and tab into a text.
//
// # Concurrency
//
// A Screen and a Strip belong to one goroutine at a time; their owner locks.
package screen
