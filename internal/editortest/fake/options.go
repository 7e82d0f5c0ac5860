package fake

import (
	"encoding/json"
	"time"
)

// Options of an editor. The zero value is a plain LSP editor of tier 0: apply
// edit with documentChanges, work-done progress, message requests, code action
// literals, configuration, showDocument; utf-16.
type Options struct {
	Name      string   // clientInfo.name; "" = "fake-editor"
	Roots     []string // absolute workspace folders; none = no folder is open
	Encodings []string // general.positionEncodings; nil = the client says nothing
	ProcessID int      // 0 = null

	NoApplyEdit, NoDocumentChanges, NoProgress, NoMessageRequest, NoConfiguration, NoShowDocument bool
	// Refactoring offers workspaceEdit.metadataSupport: an edit marked
	// isRefactoring is saved when its file was clean.
	Refactoring bool
	// Companion is capabilities.experimental.companion; nil = tier 0.
	Companion json.RawMessage
	// InitializationOptions as sent; nil = none.
	InitializationOptions json.RawMessage
	// Settings answer workspace/configuration for the section "companion".
	Settings json.RawMessage
	// Capabilities has the last word on what is sent.
	Capabilities func(caps map[string]any)

	// Answers are prepared before the handshake, as by Editor.Answer.
	Answers []string
	Hold    bool // as by Editor.Hold
	Wrong   Wrong
	// Timeout of every wait; 0 = 30 s.
	Timeout time.Duration
	// Handle answers requests that the editor does not know itself
	// (companion/*), by method.
	Handle map[string]func(params json.RawMessage) (any, *ResponseError)
	// Heard is called for every message in both directions, on the goroutine
	// that sends or reads; for live transcripts. It must not call the Editor.
	Heard func(Entry)
}
