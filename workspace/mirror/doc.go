// Package mirror knows the buffers that the editor has open, as the editor tells
// of them, and tells observers what became of files. workspace is its only user.
//
// Never: write a file, or ask an editor.
//
// # Concurrency
//
// All methods of Mirror are safe for concurrent use. Observers are called one
// at a time, in order per file, on the goroutine that made the change.
package mirror
