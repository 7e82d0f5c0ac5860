// Package rpc is the JSON-RPC connection to the editor: framing, order,
// cancellation and errors, on go.lsp.dev/jsonrpc2.
//
// Never: run a request handler that can wait on the read loop; close the
// connection because of one bad message; let a panic of a handler end the
// process; write to the output from two goroutines.
//
// # Concurrency
//
// One goroutine reads. Ordered requests are handled on it. Another handles
// notifications, and answers of the editor, in the order of the wire; none may
// wait for the editor. Every other request gets its own goroutine and begins
// when the notifications before it are handled, all or, when it is loose, those
// that may concern it. One goroutine writes, from a queue, so that Notify never
// blocks and an editor that does not read cannot stop the reading. Conn is safe
// for concurrent use.
package rpc
