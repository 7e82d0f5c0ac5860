package fake

import (
	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/fake/lent"
	"companion/internal/editortest/fake/progress"
	"companion/internal/editortest/fake/shape"
	"companion/internal/editortest/fake/transcript"
	"companion/internal/editortest/fake/wire"
	"companion/internal/editortest/fake/wrong"
)

// Names of the rooms below that users of an Editor meet.
type (
	Position      = buffer.Position
	Range         = buffer.Range
	TextEdit      = buffer.TextEdit
	ResponseError = wire.ResponseError
	Entry         = transcript.Entry
	Progress      = progress.Progress
	Command       = shape.Command
	Action        = shape.Action
	Diagnostic    = shape.Diagnostic
	Event         = shape.Event
	Message       = shape.Message
	Wrong         = wrong.Wrong
	Reply         = lent.Reply
	Ask           = lent.Ask
)

// Find is shape.Find.
func Find(actions []Action, prefix string) (Action, error) { return shape.Find(actions, prefix) }
