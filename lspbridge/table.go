package lspbridge

import (
	"context"

	"companion/lspbridge/rpc"
)

// method is one row of the table: a request or notification of the editor.
type method struct {
	name         string
	notification bool
	// ordered requests run on the read loop; they must not wait.
	ordered bool
	// loose, bulk and now are as in rpc.Route.
	loose, bulk, now bool
	handle           func(s *Server, ctx context.Context, r *rpc.Request) (any, error)
}

// methods is every method that the server hears. All else is -32601, or
// ignored when it is a notification; $/cancelRequest is rpc's.
func methods() []method {
	return append([]method{
		{name: "initialize", ordered: true, handle: (*Server).initialize},
		{name: "initialized", notification: true, handle: (*Server).initialized},
		{name: "shutdown", loose: true, handle: (*Server).shutdown},
		{name: "exit", notification: true, now: true, handle: (*Server).exit},

		{name: "textDocument/didOpen", notification: true, handle: documents((*handlers).DidOpen)},
		{name: "textDocument/didChange", notification: true, bulk: true, handle: documents((*handlers).DidChange)},
		{name: "textDocument/didSave", notification: true, handle: documents((*handlers).DidSave)},
		{name: "textDocument/didClose", notification: true, handle: documents((*handlers).DidClose)},
		{name: "workspace/didChangeWorkspaceFolders", notification: true, handle: documents((*handlers).DidChangeFolders)},
		{name: "workspace/didChangeConfiguration", notification: true, handle: documents((*handlers).DidChangeConfiguration)},
		{name: "workspace/didChangeWatchedFiles", notification: true, handle: documents((*handlers).DidChangeWatchedFiles)},

		{name: "workspace/didCreateFiles", notification: true, handle: documents((*handlers).DidOperateFiles)},
		{name: "workspace/didRenameFiles", notification: true, handle: documents((*handlers).DidOperateFiles)},
		{name: "workspace/didDeleteFiles", notification: true, handle: documents((*handlers).DidOperateFiles)},

		{name: "textDocument/codeAction", handle: (*Server).codeAction},
		{name: "codeAction/resolve", handle: (*Server).codeActionResolve},
		{name: "textDocument/codeLens", handle: (*Server).codeLens},
		{name: "workspace/executeCommand", handle: (*Server).executeCommand},
		{name: "window/workDoneProgress/cancel", notification: true, now: true, handle: (*Server).progressCancel},
		{name: "$/progress", notification: true, handle: (*Server).progress},
	}, companionRows()...)
}
