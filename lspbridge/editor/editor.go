package editor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"companion/lspbridge/rpc"
	"companion/text"
	"companion/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// editDeadline is how long an editor may take to apply an edit: it may ask its
// user (docs/protocol.md, Edits).
const editDeadline = 5 * time.Minute

// quickDeadline bounds what an editor answers without a person.
const quickDeadline = 10 * time.Second

// Editor is everything that companion asks of an editor. It implements
// workspace.Editor and Reacher, permission.Asker, dynamic.Caller and the Caller
// of the editor's models.
type Editor struct {
	conn  *rpc.Conn
	log   *slog.Logger
	spawn func(func())

	// Client and Encoding are set by initialize, before anything is asked.
	Client   *Client
	Encoding text.Encoding

	asking  chan struct{} // holds one token: one question open at a time
	unshown sync.Once     // it was told that questions are not shown

	mu        sync.Mutex
	open      map[string]*approval // by call id
	asked     int                  // questions so far, for unique titles
	noRequest bool                 // the client knows no window/showMessageRequest
	tokens    int
	parts     map[string]*listener // by progress token
	hushed    map[string]int       // paths that the editor told of itself
}

// New gives the editor at the other end of conn; spawn runs a function on an
// owned goroutine.
func New(conn *rpc.Conn, log *slog.Logger, spawn func(func())) *Editor {
	return &Editor{
		conn: conn, log: log, spawn: spawn, Client: &Client{}, Encoding: text.UTF16, asking: make(chan struct{}, 1), open: map[string]*approval{},
		parts: map[string]*listener{}, hushed: map[string]int{},
	}
}

// ApplyEdit implements workspace.Editor by companion/edit/apply where the client
// takes edits over, else by workspace/applyEdit.
func (e *Editor) ApplyEdit(ctx context.Context, f workspace.FileEdit) (workspace.EditAnswer, error) {
	c := e.Client
	if c.Companion.Edits {
		return e.applyCompanion(ctx, f)
	}
	if !c.Workspace.ApplyEdit {
		return workspace.EditAnswer{Unsupported: true, Reason: "the editor does not offer workspace/applyEdit"}, nil
	}
	params := protocol.ApplyWorkspaceEditParams{Edit: e.workspaceEdit(f)}
	if f.Label != "" {
		params.Label = &f.Label
	}
	if f.Save && c.Workspace.WorkspaceEdit.MetadataSupport {
		params.Metadata = &protocol.WorkspaceEditMetadata{IsRefactoring: &f.Save}
	}
	call, cancel := context.WithTimeout(ctx, editDeadline)
	defer cancel()
	var result struct {
		Applied       *bool   `json:"applied"`
		FailureReason *string `json:"failureReason"`
	}
	err := e.conn.Call(call, "workspace/applyEdit", rpc.Typed{Value: &params}, &result)
	var fault *rpc.Error
	switch {
	case err == nil && result.Applied == nil:
		return workspace.EditAnswer{Reason: "the editor's answer to workspace/applyEdit does not say whether it was applied"}, nil
	case err == nil:
		a := workspace.EditAnswer{Applied: *result.Applied}
		if result.FailureReason != nil {
			a.Reason = *result.FailureReason
		}
		return a, nil
	case rpc.IsCode(err, rpc.MethodNotFound):
		return workspace.EditAnswer{Unsupported: true, Reason: "the editor does not know workspace/applyEdit"}, nil
	case errors.As(err, &fault):
		return workspace.EditAnswer{Reason: fault.Message}, nil
	case errors.Is(err, rpc.ErrShape):
		return workspace.EditAnswer{Reason: err.Error()}, nil
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return workspace.EditAnswer{Reason: fmt.Sprintf("no answer within %v", editDeadline)}, nil
	}
	return workspace.EditAnswer{}, fmt.Errorf("edit %s: %w", f.URI, err)
}

// workspaceEdit is the edit of one file in the form that the client takes.
func (e *Editor) workspaceEdit(f workspace.FileEdit) protocol.WorkspaceEdit {
	id := protocol.URI(f.URI) // as the editor spelled it
	edits := make([]protocol.TextEdit, 0, len(f.Edits))
	for _, r := range text.ByRange(text.NewIndex(f.Before), f.Edits, e.Encoding) {
		edits = append(edits, protocol.TextEdit{
			Range:   protocol.Range{Start: position(r.Range.Start), End: position(r.Range.End)},
			NewText: r.New,
		})
	}
	if !e.Client.versions() {
		return protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{uri.URI(id): edits}}
	}
	one := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri.URI(id)}, Version: e.Client.version(f.Version),
	}}
	for i := range edits {
		one.Edits = append(one.Edits, &edits[i])
	}
	return protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{one}}
}

func position(p text.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)} // never negative: made by text.Index
}

// messageType maps a level to LSP's MessageType.
func messageType(level slog.Level) protocol.MessageType {
	switch {
	case level >= slog.LevelError:
		return protocol.MessageTypeError
	case level >= slog.LevelWarn:
		return protocol.MessageTypeWarning
	}
	return protocol.MessageTypeInfo
}

type messageParams struct {
	Type    protocol.MessageType `json:"type"`
	Message string               `json:"message"`
}

// ShowMessage tells a person something by window/showMessage.
func (e *Editor) ShowMessage(level slog.Level, message string) {
	e.Notify("window/showMessage", messageParams{messageType(level), message})
}

// Warn is ShowMessage of a warning.
func (e *Editor) Warn(message string) { e.ShowMessage(slog.LevelWarn, message) }

// LogMessage writes to the editor's log of this server.
func (e *Editor) LogMessage(level slog.Level, message string) {
	e.Notify("window/logMessage", messageParams{messageType(level), message})
}

// Notify sends; a connection that has ended needs no more notes.
func (e *Editor) Notify(method string, params any) {
	if err := e.conn.Notify(method, params); err != nil {
		e.log.Debug("not sent", "method", method, "err", err)
	}
}

// NotifyLossy is Notify of what an editor that is behind may miss.
func (e *Editor) NotifyLossy(method string, params any) {
	if err := e.conn.NotifyLossy(method, params); err != nil {
		e.log.Debug("not sent", "method", method, "err", err)
	}
}

// ShowDocument opens a file without moving the focus; false when the editor
// did not.
func (e *Editor) ShowDocument(ctx context.Context, path string) bool {
	if !e.Client.Window.ShowDocument.Support {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, quickDeadline)
	defer cancel()
	var result struct {
		Success bool `json:"success"`
	}
	err := e.conn.Call(ctx, "window/showDocument", struct {
		URI       uri.URI `json:"uri"`
		TakeFocus bool    `json:"takeFocus"`
	}{uri.File(path), false}, &result)
	return err == nil && result.Success
}
