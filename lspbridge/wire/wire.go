package wire

import (
	"encoding/json"

	"companion/session"
)

// Position is LSP's, 0-based, in the encoding of the connection.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is LSP's: the end is exclusive.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a file, and a place in it when that is known.
type Location struct {
	URI   string `json:"uri"`
	Range *Range `json:"range,omitempty"`
}

// TextEdit is LSP's.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// Input is one part of what a person gives to a turn; Type says which of the
// others must be there.
type Input struct {
	Type        string            `json:"type" enum:"text|selection|file|diagnostics|image|skill"`
	Text        string            `json:"text,omitempty"`
	URI         string            `json:"uri,omitempty"`
	Range       *Range            `json:"range,omitempty"`
	Diagnostics []json.RawMessage `json:"diagnostics,omitempty"`
	MimeType    string            `json:"mimeType,omitempty"`
	Data        string            `json:"data,omitempty" desc:"base64"`
	Name        string            `json:"name,omitempty" desc:"of a skill"`
}

// EditorState is what the editor shows.
type EditorState struct {
	Active *ActiveEditor `json:"active,omitempty"`
	Tabs   []Tab         `json:"tabs,omitempty"`
}

// ActiveEditor is the editor that has the focus.
type ActiveEditor struct {
	URI           string  `json:"uri"`
	Selection     *Range  `json:"selection,omitempty"`
	VisibleRanges []Range `json:"visibleRanges,omitempty"`
}

// Tab is one open editor.
type Tab struct {
	URI      string `json:"uri"`
	IsActive bool   `json:"isActive,omitempty"`
	IsDirty  bool   `json:"isDirty,omitempty"`
}

// Empty is a result without fields.
type Empty struct{}

// Thread is a line of the list of threads.
type Thread = session.Info
