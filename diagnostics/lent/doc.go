// Package lent asks the editor for the diagnostics of its own language servers
// (companion/diagnostics/await): eslint, a compiler of the editor's, whatever
// its user installed.
//
// What the editor says is a claim. It counts as complete only for the version
// that was asked about, told as fresh, by servers that it names, with places
// that lie in the text, of a file that did not change meanwhile.
//
// Never: wait beyond the bound that the caller gave; pass what is told of another
// text on as the present one's; ask an editor that does not offer it.
//
// # Concurrency
//
// All methods of Source are safe for concurrent use; none holds its lock while
// the editor is asked.
package lent
