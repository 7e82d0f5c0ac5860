package dynamic

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"companion/tools"
)

// DefaultDeadline is how long a call may take where its definition gives no
// timeout (protocol.md, requests to the editor: 60 s).
const DefaultDeadline = 60 * time.Second

// Annotations are what a definition claims of its tool; nil = not said.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// Spec is a tool as the editor defines it.
type Spec struct {
	Name        string // ^[A-Za-z_][A-Za-z0-9_-]{0,63}$, not mcp…
	Namespace   string // the same, or ""
	Title       string
	Description string          // at most 1,000 bytes
	Input       json.RawMessage // any JSON Schema whose type is object
	Output      json.RawMessage // of structured results; nil = not checked
	Annotations Annotations
	Exposure    tools.Exposure // "" and what is not known = direct
	SearchHint  string
	Locks       []tools.Lock // a file may be named by its URI; none = everything
	Timeout     time.Duration
	Approval    tools.Asking // "" = by rules; for a trusted read-only tool never
}

// Namespace is a group of tools with one owner and one description.
type Namespace struct {
	Name        string
	Description string // at most 1,024 bytes
}

// Code says why a definition was rejected.
type Code string

// The codes.
const (
	BadName   Code = "name"
	BadSchema Code = "schema"
	Reserved  Code = "reserved"
	Taken     Code = "taken"
	Budget    Code = "budget"
	Duplicate Code = "duplicate"
)

// Rejection is one definition that was not registered.
type Rejection struct {
	Name    string // "name" or "namespace.name", made plain
	Code    Code
	Message string
}

// Call is one call as the editor gets it.
type Call struct {
	Thread, Turn, CallID string
	Namespace, Name      string
	Owner                string
	Arguments            json.RawMessage // a checked JSON object
	Deadline             time.Duration   // from now
	Progress             tools.Progress
}

// Answer is what the editor says of a call. Changed are the URIs of files that
// it says the call changed.
type Answer struct {
	Content    []tools.Content
	IsError    bool
	Structured json.RawMessage
	Changed    []string
}

// Caller reaches the editor. It returns soon after ctx ends, withdraws the call
// then, and drops an answer that comes later. Its errors are a *RemoteError,
// ErrShape, ErrGone, ErrIdle, those of ctx, or others that are taken as transient.
type Caller interface {
	CallTool(ctx context.Context, c Call) (Answer, error)
}

// Errors of a Caller.
var (
	// ErrShape: the answer has not the shape that it must have; wrap it with
	// what is wrong.
	ErrShape = errors.New("an answer of the wrong shape")
	// ErrGone: the editor went away.
	ErrGone = errors.New("the editor is gone")
	// ErrIdle: the editor said in its handshake that it runs no tools.
	ErrIdle = errors.New("the editor runs no tools")
)

// RemoteError is the editor's own error; its message reaches the model.
type RemoteError struct {
	Message string
	// Transient: the editor says that the same call may work at once (content
	// modified, server cancelled).
	Transient bool
}

func (e *RemoteError) Error() string { return e.Message }
