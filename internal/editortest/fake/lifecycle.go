package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/fake/wire"
)

// Initialize does the handshake and returns the server's result.
func (e *Editor) Initialize(ctx context.Context) (json.RawMessage, error) {
	var result json.RawMessage
	if err := e.Request(ctx, "initialize", e.InitializeParams(), &result); err != nil {
		return nil, err
	}
	var r struct {
		Capabilities struct {
			PositionEncoding string          `json:"positionEncoding"`
			TextDocumentSync json.RawMessage `json:"textDocumentSync"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, fmt.Errorf("initialize: result: %w", err)
	}
	e.mu.Lock()
	e.result = result
	if enc := r.Capabilities.PositionEncoding; enc != "" {
		e.encoding = enc
		if !e.offers(enc) {
			e.problem("initialize: positionEncoding %q was not offered", enc)
		}
	}
	var sync struct {
		Change *int `json:"change"`
	}
	if json.Unmarshal(r.Capabilities.TextDocumentSync, &sync) == nil && sync.Change != nil {
		e.syncKind = *sync.Change
	} else {
		_ = json.Unmarshal(r.Capabilities.TextDocumentSync, &e.syncKind)
	}
	e.mu.Unlock()
	e.Notify("initialized", struct{}{})
	return result, nil
}

func (e *Editor) offers(encoding string) bool {
	if e.opt.Encodings == nil {
		return encoding == "utf-16"
	}
	for _, o := range e.opt.Encodings {
		if o == encoding {
			return true
		}
	}
	return false
}

// Encoding is the position encoding of the connection.
func (e *Editor) Encoding() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.encoding
}

// InitializeParams are what Initialize sends.
func (e *Editor) InitializeParams() map[string]any {
	name := e.opt.Name
	if name == "" {
		name = "fake-editor"
	}
	params := map[string]any{
		"clientInfo":   map[string]any{"name": name, "version": "1"},
		"capabilities": e.capabilities(),
		"processId":    nil,
		"rootUri":      nil,
	}
	if e.opt.ProcessID != 0 {
		params["processId"] = e.opt.ProcessID
	}
	if len(e.opt.Roots) > 0 {
		var folders []map[string]any
		for _, r := range e.opt.Roots {
			folders = append(folders, map[string]any{"uri": buffer.URI(r), "name": filepath.Base(r)})
		}
		params["rootUri"] = buffer.URI(e.opt.Roots[0])
		params["workspaceFolders"] = folders
	}
	if e.opt.InitializationOptions != nil {
		params["initializationOptions"] = e.opt.InitializationOptions
	}
	return params
}

func (e *Editor) capabilities() map[string]any {
	edit := map[string]any{"documentChanges": !e.opt.NoDocumentChanges}
	if e.opt.Refactoring {
		edit["metadataSupport"] = true
	}
	window := map[string]any{"workDoneProgress": !e.opt.NoProgress}
	if !e.opt.NoMessageRequest {
		window["showMessage"] = map[string]any{"messageActionItem": map[string]any{"additionalPropertiesSupport": false}}
	}
	if !e.opt.NoShowDocument {
		window["showDocument"] = map[string]any{"support": true}
	}
	caps := map[string]any{
		"workspace": map[string]any{
			"applyEdit": !e.opt.NoApplyEdit, "workspaceEdit": edit, "workspaceFolders": true,
			"configuration":          !e.opt.NoConfiguration,
			"didChangeConfiguration": map[string]any{"dynamicRegistration": true},
			"didChangeWatchedFiles":  map[string]any{"dynamicRegistration": true},
		},
		"textDocument": map[string]any{
			"synchronization": map[string]any{"didSave": true},
			"codeAction": map[string]any{
				"dataSupport": true, "isPreferredSupport": true, "disabledSupport": true,
				"resolveSupport": map[string]any{"properties": []string{"edit"}},
				"codeActionLiteralSupport": map[string]any{
					"codeActionKind": map[string]any{"valueSet": []string{"", "quickfix", "refactor", "refactor.extract", "refactor.rewrite", "source"}},
				},
			},
		},
		"window": window,
	}
	if e.opt.Encodings != nil {
		caps["general"] = map[string]any{"positionEncodings": e.opt.Encodings}
	}
	if e.opt.Companion != nil {
		caps["experimental"] = map[string]any{"companion": e.opt.Companion}
	}
	if e.opt.Capabilities != nil {
		e.opt.Capabilities(caps)
	}
	return caps
}

// Shutdown asks for the end in the orderly way and waits until the server has
// closed its side.
func (e *Editor) Shutdown(ctx context.Context) error {
	if err := e.Request(ctx, "shutdown", nil, nil); err != nil {
		return err
	}
	e.mu.Lock()
	e.send(wire.Message{Method: "exit"})
	e.mu.Unlock()
	timer := time.NewTimer(e.opt.Timeout)
	defer timer.Stop()
	select {
	case <-e.done:
		return e.Close()
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("exit: the server did not end within %v", e.opt.Timeout)
	}
}
