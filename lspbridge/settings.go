package lspbridge

import (
	"encoding/json"
	"strings"
)

// settingsChanged takes settings that the editor pushed; nil = pull them. In
// the order of the wire only.
func (s *Server) settingsChanged(pushed json.RawMessage) {
	switch {
	case ours(pushed):
		s.config.Do(func() { s.configure(pushed) })
	case s.editor.Client.Workspace.Configuration: // pushed nothing, or an empty object as Neovim does
		s.config.Do(s.pullSettings)
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

// pullSettings asks for the section companion.
func (s *Server) pullSettings() {
	section, err := s.editor.Configuration(s.ctx)
	if err != nil {
		s.log.Info("settings not pulled", "err", err)
		return
	}
	if section == nil {
		return
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"companion": section})
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
		s.editor.Warn("Companion settings: " + p)
	}
}
