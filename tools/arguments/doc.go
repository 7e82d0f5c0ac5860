// Package arguments reads what a model wrote as the arguments of a call: bytes
// that may be wrapped, cut off, text instead of JSON or the reverse. It is a
// leaf of the tools' contract.
//
// Never: run anything; change a value where something would be lost.
//
// # Concurrency
//
// A Form is immutable and safe for concurrent use.
package arguments
