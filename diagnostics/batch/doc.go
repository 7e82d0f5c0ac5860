// Package batch knows which files a step of the agent changed, and how.
//
// Never: write a file; ask a server anything.
package batch
