package lspbridge

import (
	"context"
	"encoding/json"
	"strings"

	"companion/lspbridge/rpc"
)

// settingsChanged takes settings that the editor pushed; nil = pull them. Read
// loop only.
func (s *Server) settingsChanged(pushed json.RawMessage) {
	switch {
	case ours(pushed):
		s.config.do(func() { s.configure(pushed) })
	case s.client.Workspace.Configuration: // pushed nothing, or an empty object as Neovim does
		s.config.do(s.pullSettings)
	}
}

// ours reports whether pushed settings say anything about companion; many
// editors push everybody's, or an empty object.
func ours(settings json.RawMessage) bool {
	var m map[string]json.RawMessage
	if json.Unmarshal(settings, &m) != nil {
		return false
	}
	for k := range m {
		if k == "companion" || strings.HasPrefix(k, "companion.") {
			return true
		}
	}
	return false
}

// pullSettings asks by workspace/configuration for the section companion.
func (s *Server) pullSettings() {
	ctx, cancel := context.WithTimeout(s.ctx, quickDeadline)
	defer cancel()
	var result []json.RawMessage
	err := s.conn.Call(ctx, "workspace/configuration", json.RawMessage(`{"items":[{"section":"companion"}]}`), &result)
	if err != nil {
		s.log.Info("settings not pulled", "err", err)
		return
	}
	if len(result) == 0 || string(result[0]) == "null" {
		return
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"companion": result[0]})
	if err != nil {
		s.log.Warn("settings", "err", err)
		return
	}
	s.configure(wrapped)
}

func (s *Server) configure(settings json.RawMessage) {
	if s.backend.Configure == nil {
		return
	}
	for _, p := range s.backend.Configure(s.ctx, settings) {
		s.editor.warn("Companion settings: " + p)
	}
}

// register asks for the notifications that clients send only on request.
func (s *Server) register() {
	type registration struct {
		ID      string `json:"id"`
		Method  string `json:"method"`
		Options any    `json:"registerOptions,omitempty"`
	}
	var list []registration
	if s.client.Workspace.DidChangeConfiguration.DynamicRegistration {
		list = append(list, registration{
			"companion/configuration", "workspace/didChangeConfiguration",
			map[string]any{"section": "companion"},
		})
	}
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		list = append(list, registration{
			"companion/files", "workspace/didChangeWatchedFiles",
			map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*"}}},
		})
	}
	if len(list) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, quickDeadline)
	defer cancel()
	err := s.conn.Call(ctx, "client/registerCapability", map[string]any{"registrations": list}, nil)
	if err != nil && !rpc.IsCode(err, rpc.MethodNotFound) {
		s.log.Info("not registered", "err", err)
	}
}
