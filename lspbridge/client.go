package lspbridge

import (
	"encoding/json"

	"companion/text"
)

// client is what the editor can do, as far as companion asks. A zero field
// means no.
type client struct {
	Workspace struct {
		ApplyEdit     bool `json:"applyEdit"`
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
			MetadataSupport bool `json:"metadataSupport"`
		} `json:"workspaceEdit"`
		DidChangeConfiguration dynamic `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  dynamic `json:"didChangeWatchedFiles"`
		Configuration          bool    `json:"configuration"`
	} `json:"workspace"`
	TextDocument struct {
		CodeAction struct {
			Literals *struct{} `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Experimental json.RawMessage `json:"experimental"`

	companion flags
}

type dynamic struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// flags are capabilities.experimental.companion: the surfaces that the client
// takes over (docs/protocol.md, Handshake). Absent = tier 0.
type flags struct {
	Version   int  `json:"version"`
	Commands  bool `json:"commands"`
	Events    bool `json:"events"`
	Progress  bool `json:"progress"`
	Approvals bool `json:"approvals"`
}

// encoding is the unit of positions: utf-16 when the client offers it or says
// nothing, else the first of its list that companion knows.
func (c *client) encoding() text.Encoding {
	var first text.Encoding
	for _, e := range c.General.PositionEncodings {
		switch e := text.Encoding(e); e {
		case text.UTF16:
			return e
		case text.UTF8, text.UTF32:
			if first == "" {
				first = e
			}
		}
	}
	if first == "" {
		return text.UTF16
	}
	return first
}
