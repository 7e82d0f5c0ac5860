package permission

import (
	"context"
	"encoding/json"

	"companion/tools"
)

// Kind of an approval request, as docs/protocol.md names them.
type Kind string

// Kinds.
const (
	KindTool        Kind = "tool"
	KindCommand     Kind = "command"
	KindEdit        Kind = "edit"
	KindNetwork     Kind = "network"
	KindEscalate    Kind = "escalate"
	KindPermissions Kind = "permissions"
	KindMode        Kind = "mode"
	KindLoop        Kind = "loop"
	KindTrust       Kind = "trust"
)

// OptionKind is what choosing an option means.
type OptionKind string

// Option kinds.
const (
	AllowOnce   OptionKind = "allowOnce"
	AllowThread OptionKind = "allowThread"
	AllowAlways OptionKind = "allowAlways"
	RejectOnce  OptionKind = "rejectOnce"
	StopTurn    OptionKind = "stop"
)

// Option is one button.
type Option struct {
	ID    string
	Label string // unique within the request
	Kind  OptionKind
	Rule  string // what allowAlways would remember
}

// Request asks a person.
type Request struct {
	Thread, Turn, CallID string
	Kind                 Kind
	Title                string // one line, control characters made visible
	Detail               string
	Preview              tools.Preview
	Arguments            []byte // JSON
	// Editable: an answer may carry other arguments, which are checked anew.
	Editable bool
	Options  []Option
}

// Answer of a person. A zero Answer is "reject once".
type Answer struct {
	OptionID string
	Feedback string // words for the model
	// Arguments replace those of the request where it was Editable and the option
	// allows; nil = as they were. They are validated, prepared and judged anew.
	Arguments json.RawMessage
}

// Asker reaches a person. It waits until answered or ctx ends. A client that
// cannot ask returns ErrNobody.
type Asker interface {
	Ask(ctx context.Context, r Request) (Answer, error)
}
