package wire

import "encoding/json"

// Flags are capabilities.experimental.companion of a client: the surfaces that
// it takes over (docs/protocol.md, Handshake). Absent = tier 0.
type Flags struct {
	Version     int      `json:"version"`
	Commands    bool     `json:"commands,omitempty" desc:"it registers the command ids itself"`
	Events      bool     `json:"events,omitempty"`
	Progress    bool     `json:"progress,omitempty"`
	Review      bool     `json:"review,omitempty" desc:"it shows changes itself"`
	ToolCalls   bool     `json:"toolCalls,omitempty"`
	Approvals   bool     `json:"approvals,omitempty"`
	Questions   bool     `json:"questions,omitempty"`
	Diagnostics bool     `json:"diagnostics,omitempty"`
	Edits       bool     `json:"edits,omitempty"`
	Models      bool     `json:"models,omitempty"`
	Files       bool     `json:"files,omitempty"`
	Secrets     bool     `json:"secrets,omitempty"`
	Language    []string `json:"language,omitempty" desc:"methods of LSP that its own language servers answer"`
}

// InitializationOptions of initialize.
type InitializationOptions struct {
	Settings   json.RawMessage `json:"settings,omitempty" type:"object"`
	Trusted    *bool           `json:"trusted,omitempty"`
	Tools      []ToolSpec      `json:"tools,omitempty"`
	Namespaces []Namespace     `json:"namespaces,omitempty"`
}
