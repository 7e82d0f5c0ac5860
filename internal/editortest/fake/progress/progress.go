// Package progress holds the rules of work-done progress: a token is created
// once, begins, reports, and ends once.
//
// Never: forget a breach.
package progress

import (
	"encoding/json"
	"fmt"
)

// Progress is one work-done progress.
type Progress struct {
	Token    string // as JSON
	Title    string
	Cancel   bool     // cancellable
	Messages []string // of begin and reports, as they came
	Last     string   // message of the end
	Begun    bool
	Ended    bool
}

// Board is every progress of a connection. It is not safe for concurrent use.
type Board struct {
	tokens map[string]*Progress
	order  []*Progress
}

// NewBoard gives an empty board.
func NewBoard() *Board { return &Board{tokens: map[string]*Progress{}} }

// All are the progresses in order of creation.
func (b *Board) All() []*Progress { return b.order }

// Running tells whether one has begun and not ended.
func (b *Board) Running() bool {
	for _, p := range b.order {
		if p.Begun && !p.Ended {
			return true
		}
	}
	return false
}

// Create takes window/workDoneProgress/create; the problem is "" when it is
// right. ok is false when there is no token to work with.
func (b *Board) Create(params json.RawMessage) (problem string, ok bool) {
	var p struct {
		Token json.RawMessage `json:"token"`
	}
	if err := json.Unmarshal(params, &p); err != nil || len(p.Token) < 3 || p.Token[0] != '"' {
		return fmt.Sprintf("window/workDoneProgress/create: the token must be a string: %s", params), false
	}
	token := string(p.Token)
	if b.tokens[token] != nil {
		return fmt.Sprintf("window/workDoneProgress/create: the token %s was used before", token), true
	}
	b.tokens[token] = &Progress{Token: token}
	b.order = append(b.order, b.tokens[token])
	return "", true
}

// Hear takes $/progress and gives what is wrong with it.
func (b *Board) Hear(params json.RawMessage) (problems []string) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind        string `json:"kind"`
			Title       string `json:"title"`
			Message     string `json:"message"`
			Cancellable bool   `json:"cancellable"`
		} `json:"value"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return []string{fmt.Sprintf("$/progress: %v", err)}
	}
	at, v := b.tokens[string(p.Token)], p.Value
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("$/progress %s: ", p.Token)+fmt.Sprintf(format, args...))
	}
	switch {
	case at == nil:
		wrong("the token was never created")
		return problems
	case at.Ended:
		wrong("%s after its end", v.Kind)
	case v.Kind == "begin" && at.Begun:
		wrong("it begins twice")
	case v.Kind != "begin" && !at.Begun:
		wrong("%s before its begin", v.Kind)
	case v.Kind == "begin" && v.Title == "":
		wrong("begin has no title")
	}
	switch v.Kind {
	case "begin":
		at.Begun, at.Title, at.Cancel = true, v.Title, v.Cancellable
	case "report":
	case "end":
		at.Ended, at.Last = true, v.Message
		return problems
	default:
		wrong("unknown kind %q", v.Kind)
	}
	if v.Message != "" {
		at.Messages = append(at.Messages, v.Message)
	}
	return problems
}
