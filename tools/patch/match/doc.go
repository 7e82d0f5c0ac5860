// Package match finds where the hunks of a patch belong in a text and makes
// them edits of its bytes: lines that a hunk only names keep theirs.
//
// Never: choose among several places; change a byte of a line that no hunk
// removes; read or write files.
package match
