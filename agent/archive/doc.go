// Package archive is the threads that lie in a store, open or not: their list
// and their events.
//
// Never: run a turn; keep a thread open.
package archive
