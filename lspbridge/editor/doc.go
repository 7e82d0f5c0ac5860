// Package editor is everything that companion asks of an editor: edits,
// approvals, trust, messages, documents to show, progress. Each question has a
// deadline or waits for a person, can be withdrawn, and has an answer for an
// editor that does not know it.
//
// Never: ask for something that the client's capabilities do not offer; take
// the focus; take silence for consent.
//
// # Concurrency
//
// Editor and Progress are safe for concurrent use. One message request is open
// at a time; the others wait for it.
package editor
