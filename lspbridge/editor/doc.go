// Package editor is everything that companion asks of an editor: edits,
// approvals, questions, trust, messages, documents to show, progress, and what a
// client of tier 1 lends: tools, models, diagnostics, keys, its language
// servers. Each question has a deadline or waits for a person, is withdrawn when
// its turn stops, and has an answer for an editor that does not know it, answers
// late, twice or in the wrong shape.
//
// Never: ask for something that the client's capabilities do not offer; take
// the focus; take silence for consent.
//
// # Concurrency
//
// Editor and Progress are safe for concurrent use. One message request is open
// at a time; the others wait for it.
package editor
