// Package text holds what the rest of companion knows about text: positions in
// utf-8, utf-16 and utf-32, byte-offset edits, diffs, line endings and
// encodings. It is a leaf: it imports nothing of ours, does no I/O and keeps
// no state.
//
// Never: touch the disk, know LSP's wire types, or change bytes that an edit
// does not name.
package text
