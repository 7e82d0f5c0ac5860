// Package lookup puts the questions of the tool lsp to all language servers of a
// file and joins what they answer: places, hovers, and the edits of code
// actions, renames and formatters.
//
// Never: apply an edit; use the edit of a server whose text is another than the
// workspace's.
//
// # Concurrency
//
// All methods of Lookup are safe for concurrent use.
package lookup
