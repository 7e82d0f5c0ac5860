// Package filelock locks files between processes, by the system's own means.
//
// Never: wait; tell who holds a lock.
package filelock
