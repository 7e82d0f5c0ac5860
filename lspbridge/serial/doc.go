// Package serial runs functions one after the other on a goroutine of its own.
//
// Never: make the caller of Do wait; run what came after Close.
//
// # Concurrency
//
// Do and Close are safe for concurrent use.
package serial
