// Package lspbridge is companion as a language server: it alone knows LSP and
// JSON-RPC towards the editor (docs/protocol.md). It turns what the editor says
// into calls of the workspace and the agent, and what they ask for into
// requests to the editor.
//
// The table of all methods is methods in table.go, with the companion/* methods
// of package companion, whose JSON forms are in package wire; what companion
// asks of an editor is package editor.
//
// Never: run a request that can wait on the read loop; ask the editor for
// something that its capabilities do not offer; move the user's focus; let a
// right follow from what a repository says.
//
// # Concurrency
//
// Initialize runs on the read loop, notifications one after the other on a
// goroutine of package rpc: neither may wait. Work that they set off and that may wait runs on Server.later (one
// after the other) or on its own goroutine of Server.work; a turn has one for
// its run and one for its progress. Serve returns only after all of them had
// their time to end.
package lspbridge
