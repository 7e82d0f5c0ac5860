package fake

import (
	"encoding/json"
	"fmt"
)

// message is any JSON-RPC message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *ResponseError  `json:"error,omitempty"`
}

// ResponseError is a JSON-RPC error.
type ResponseError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *ResponseError) Error() string {
	if len(e.Data) > 0 {
		return fmt.Sprintf("%s (code %d, data %s)", e.Message, e.Code, e.Data)
	}
	return fmt.Sprintf("%s (code %d)", e.Message, e.Code)
}

// Codes that the editor answers with (JSON-RPC 2.0, LSP 3.17).
const (
	codeMethodNotFound   = -32601
	codeInvalidParams    = -32602
	codeRequestFailed    = -32803
	codeRequestCancelled = -32800
)

// Command is an LSP command.
type Command struct {
	Title     string            `json:"title,omitempty"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// Action is an LSP code action literal.
type Action struct {
	Title       string          `json:"title"`
	Kind        string          `json:"kind,omitempty"`
	IsPreferred bool            `json:"isPreferred,omitempty"`
	Disabled    json.RawMessage `json:"disabled,omitempty"`
	Diagnostics []Diagnostic    `json:"diagnostics,omitempty"`
	Edit        json.RawMessage `json:"edit,omitempty"`
	Command     *Command        `json:"command,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

// Diagnostic is an LSP diagnostic.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity,omitempty"`
	Code     json.RawMessage `json:"code,omitempty"`
	Source   string          `json:"source,omitempty"`
	Message  string          `json:"message"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// Event is a companion/event: its common fields and the whole.
type Event struct {
	ThreadID string          `json:"threadId"`
	TurnID   string          `json:"turnId"`
	Seq      int64           `json:"seq"`
	AfterSeq int64           `json:"afterSeq"`
	Type     string          `json:"type"`
	Status   string          `json:"status"`
	Raw      json.RawMessage `json:"-"`
}

// Message is a window/showMessage or window/logMessage.
type Message struct {
	Type    int    `json:"type"` // 1 error, 2 warning, 3 info, 4 log
	Message string `json:"message"`
	Log     bool   `json:"-"` // logMessage
}
