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

// Wrong makes the editor misbehave in one way, as real ones did or might. The
// zero value is a right editor.
type Wrong struct {
	ApplyEdit ApplyEditFault
	// Times bounds the fault to the first so many workspace/applyEdit; 0 = all.
	Times int
	// Typing is what the user types into the document of an applyEdit before
	// it is answered (fault TypeFirst).
	Typing TextEdit
	// Late is how long after the answer the didChange comes (fault LateChange).
	Late time.Duration
	// DropVersions sends didChange with version null.
	DropVersions bool
	// IgnoreVersions applies edits made for other versions (eglot).
	IgnoreVersions bool
	// MessageTwice answers each window/showMessageRequest twice.
	MessageTwice bool
	// MessageShape answers window/showMessageRequest with a string instead of
	// an action.
	MessageShape bool
	// MessageAfterCancel answers a withdrawn window/showMessageRequest all the
	// same, with its first button.
	MessageAfterCancel bool
}

// ApplyEditFault is a wrong way to answer workspace/applyEdit.
type ApplyEditFault string

// The faults.
const (
	Silent      ApplyEditFault = "silent"      // never answers, never applies
	Lie         ApplyEditFault = "lie"         // applied:true, buffer untouched (Neovim)
	Reject      ApplyEditFault = "reject"      // applied:false
	Error       ApplyEditFault = "error"       // JSON-RPC error
	Twice       ApplyEditFault = "twice"       // applies once, answers twice
	AfterCancel ApplyEditFault = "afterCancel" // applies and answers only once cancelled
	WrongShape  ApplyEditFault = "wrongShape"  // "yes" instead of an object; applies
	TypeFirst   ApplyEditFault = "typeFirst"   // the user types before the answer
	LateChange  ApplyEditFault = "lateChange"  // answers, didChange comes later
	Formats     ApplyEditFault = "formats"     // applies, then a hook adds a line at the end
	Misapplies  ApplyEditFault = "misapplies"  // applies only the first edit and claims all
)
