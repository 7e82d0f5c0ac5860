// Package dynamic holds the tools that the editor offers and runs: it judges
// their definitions, registers them, calls them through a Caller and makes of
// what comes back a result that the model can act on. It knows no LSP.
//
// A definition is text from outside: its texts are made plain, its schema is
// normalised and compiled without opening anything, its annotations are believed
// only for owners that the user trusts, and what a person said yes to is tied to
// its hash. One bad definition rejects itself alone.
//
// Files that a tool changed, also without saying so, are found by comparing the
// buffers and the disk before and after, as far as they were known before.
//
// Never: shadow a built-in tool; call an editor for a tool that was withdrawn,
// replaced or disabled since; call a tool with effects twice; report a call
// without answer as one without effect.
//
// # Concurrency
//
// All methods of Host are safe for concurrent use. Changes are made one at a
// time and told to listeners in their order, on the goroutine that made them; a
// listener must not change the Host. Calls run side by side, each on its
// caller's goroutine.
package dynamic
