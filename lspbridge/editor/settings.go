package editor

import (
	"context"
	"encoding/json"

	"companion/lspbridge/rpc"
)

// Configuration asks by workspace/configuration for the section companion; nil
// when the editor has none.
func (e *Editor) Configuration(ctx context.Context) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, quickDeadline)
	defer cancel()
	var result []json.RawMessage
	err := e.conn.Call(ctx, "workspace/configuration", json.RawMessage(`{"items":[{"section":"companion"}]}`), &result)
	if err != nil || len(result) == 0 || string(result[0]) == "null" {
		return nil, err
	}
	return result[0], nil
}

// Register asks for the notifications that clients send only on request.
func (e *Editor) Register(ctx context.Context) {
	type registration struct {
		ID      string `json:"id"`
		Method  string `json:"method"`
		Options any    `json:"registerOptions,omitempty"`
	}
	var list []registration
	if e.Client.Workspace.DidChangeConfiguration.DynamicRegistration {
		list = append(list, registration{
			"companion/configuration", "workspace/didChangeConfiguration",
			map[string]any{"section": "companion"},
		})
	}
	if e.Client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		list = append(list, registration{
			"companion/files", "workspace/didChangeWatchedFiles",
			map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*"}}},
		})
	}
	if len(list) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, quickDeadline)
	defer cancel()
	err := e.conn.Call(ctx, "client/registerCapability", map[string]any{"registrations": list}, nil)
	if err != nil && !rpc.IsCode(err, rpc.MethodNotFound) {
		e.log.Info("not registered", "err", err)
	}
}
