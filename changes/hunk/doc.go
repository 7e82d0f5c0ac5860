// Package hunk is the arithmetic of package changes: what the turns of one
// thread changed in one file, and what is left of it when others change the
// file too, as values, without a disk or an editor.
//
// Never: do I/O, keep state, or change in place what was handed out.
package hunk
