//go:build !unix

package context

// nonblock is not needed: no folder here holds a FIFO.
const nonblock = 0
