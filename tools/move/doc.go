// Package move holds the tools delete and move: one file each, through the
// editor where it reaches, and so that the undo of a turn brings it back.
//
// Never: follow a link that is named itself; replace a file; touch a folder's
// files all at once; run a shell.
package move
