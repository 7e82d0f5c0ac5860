// Package shape holds the parts of LSP and of companion's protocol that an
// editor reads.
//
// Never: hold more than what somebody looks at.
package shape

import (
	"encoding/json"
	"fmt"
	"strings"

	"companion/internal/editortest/fake/buffer"
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
	Range    buffer.Range    `json:"range"`
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

// Find returns the first action whose title starts with prefix; the error
// lists the titles that were offered.
func Find(actions []Action, prefix string) (Action, error) {
	var titles []string
	for _, a := range actions {
		if strings.HasPrefix(a.Title, prefix) {
			return a, nil
		}
		titles = append(titles, fmt.Sprintf("%q", a.Title))
	}
	return Action{}, fmt.Errorf("no code action %q; offered: %s", prefix, strings.Join(titles, ", "))
}

// StartsTurn tells the commands that start a turn: their answer must precede
// everything that the turn sends.
func StartsTurn(method string, params json.RawMessage) bool {
	if method == "companion/turn/start" {
		return true
	}
	var p struct {
		Command string `json:"command"`
	}
	if method != "workspace/executeCommand" || json.Unmarshal(params, &p) != nil {
		return false
	}
	switch p.Command {
	case "companion.ask", "companion.edit", "companion.fix", "companion.explain", "companion.document", "companion.test", "companion.extract":
		return true
	}
	return false
}
