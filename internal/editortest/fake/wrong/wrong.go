// Package wrong is a zoo of editors that break the protocol, as real ones did or
// might.
//
// Never: an animal that no scenario shows.
package wrong

import (
	"time"

	"companion/internal/editortest/fake/buffer"
)

// Wrong makes the editor misbehave in one way, as real ones did or might. The
// zero value is a right editor.
type Wrong struct {
	ApplyEdit ApplyEditFault
	// Times bounds the fault to the first so many workspace/applyEdit; 0 = all.
	Times int
	// Typing is what the user types into the document of an applyEdit before
	// it is answered (fault TypeFirst).
	Typing buffer.TextEdit
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
