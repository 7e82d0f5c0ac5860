// Package changes knows what the agent changed in the user's files and what
// became of it: per thread and turn, hunk by hunk, kept or undone, also while
// the turn runs and after a restart.
//
// For each turn that changed a file it keeps a layer: the text as the turn left
// it, and for each hunk what stood there before. What anybody else changes
// meanwhile (the user, another turn, another thread) is carried into the layer
// by a three-way merge, so that a hunk's inverse fits the text of today; where
// it meets a hunk, that hunk can be kept, and its undo is a conflict that is
// told and changes nothing.
//
// Whoever takes a hunk back exactly, as the editor's own undo does, has undone
// it: it is not pending from then on. When the hunk's text comes back (redo)
// before the thread changes, keeps or undoes something else in that file, it is
// pending again; after that it stays undone, and its text is the user's.
//
// State lies in the folder "changes" of the state folder, one folder per
// thread: an append-only journal, and texts by their hash (folders 0700, files
// 0600).
//
// Never: write a user's file other than by workspace.Apply; write one when a
// thread is loaded, forgotten or closed; take back what is not a hunk's own.
//
// # Concurrency
//
// All methods of Store are safe for concurrent use. Record, Keep and Undo of
// one thread run one at a time. Pending and PendingAt wait for none of them and
// read no disk. Undo waits for the editor as workspace.Apply does, so its caller
// must not be the goroutine that brings notifications in. Listeners of OnChange
// are called on the goroutine that made the change, with no lock of the Store
// held; when the editor or the disk changed a file, that is the one on which the
// workspace tells its observers.
package changes
