// Package openset keeps what is open by id, opening and closing each thing once
// at a time, and never two at the cost of a third: what is slow runs unlocked.
//
// Never: know what it keeps.
//
// # Concurrency
//
// Set is safe for concurrent use. load and then are called without any lock;
// leave is called with the set locked and must not block.
package openset
