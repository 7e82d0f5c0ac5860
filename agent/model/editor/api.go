package editor

import (
	"context"
	"encoding/json"
	"iter"

	"companion/agent/model"
)

// Caller brings one request to the editor.
type Caller interface {
	// CallModel yields the parts as they come and one End, after which nothing
	// follows. When ctx ends it withdraws the request and returns within 100 ms
	// with ctx's error. An error of the editor is yielded as it is; its words
	// reach the user.
	CallModel(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Request is one question to a lent model.
type Request struct {
	ID       string // of the request, unique in the process
	Model    string // as it was lent, without "editor/"
	Messages []Message
	Tools    []Tool
	Options  model.Options // MaxOutput and Effort are meant
}

// Role of a message.
type Role string

// The roles. A system message only comes first.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message of the talk. Results are in messages of the user.
type Message struct {
	Role    Role
	Content []Part
}

// PartType tells parts apart.
type PartType string

// The parts. The editor sends Text and Call.
const (
	Text   PartType = "text"
	Image  PartType = "image"
	Call   PartType = "call"
	Result PartType = "result"
)

// Part of a message, or of an answer.
type Part struct {
	Type      PartType
	Text      string
	MimeType  string          // images
	Data      []byte          // images, decoded
	ID        string          // calls, and their results
	Name      string          // calls: flat
	Arguments json.RawMessage // calls: a JSON object
	Content   []Part          // results: text and images
	IsError   bool            // results
}

// Tool is what the model is told of one tool.
type Tool struct {
	Name        string // flat
	Description string
	Input       json.RawMessage // JSON Schema, type object
}

// Event is a part, or the end: exactly one is set.
type Event struct {
	Part *Part
	End  *End
}

// End of an answer.
type End struct {
	Stop  string // end, tools, length, error
	Usage *model.Usage
	Error string // for the user, with Stop error
}
