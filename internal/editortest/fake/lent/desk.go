package lent

import (
	"encoding/json"
	"strings"

	"companion/internal/editortest/fake/wire"
)

// Flag is the flag of the handshake with which an editor offers a request; ""
// for methods that are none of tier 1.
func Flag(method string) string {
	return map[string]string{
		"companion/tool/call": "toolCalls", "companion/approval/request": "approvals", "companion/question/ask": "questions",
		"companion/diagnostics/await": "diagnostics", "companion/edit/apply": "edits", "companion/language/request": "language",
		"companion/model/call": "models", "companion/secret/get": "secrets",
	}[method]
}

// Reply answers one request. Without any other field it is its Result.
type Reply struct {
	Result json.RawMessage     `json:"result,omitempty"`
	Error  *wire.ResponseError `json:"error,omitempty"`
	// Match is a part of the params of the request that is meant; "" = the
	// oldest that is open.
	Match string `json:"match,omitempty"`
	// Progress are values of $/progress before the answer; Times repeats them.
	Progress []json.RawMessage `json:"progress,omitempty"`
	Times    int               `json:"times,omitempty"`

	Silent      bool `json:"silent,omitempty"`      // never answered, not even when withdrawn
	Twice       bool `json:"twice,omitempty"`       // the answer comes twice
	AfterCancel bool `json:"afterCancel,omitempty"` // the answer comes only once it is withdrawn
	WrongID     bool `json:"wrongId,omitempty"`     // first an answer to the id as a string, which nobody asked
	Die         bool `json:"die,omitempty"`         // the connection ends instead
	Huge        int  `json:"huge,omitempty"`        // bytes of one text as the content of the result
}

// Body is the result that is sent.
func (r Reply) Body() json.RawMessage {
	if r.Huge == 0 {
		return r.Result
	}
	return wire.Encode(map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("x", r.Huge)}}})
}

// Ask is a request of companion.
type Ask struct {
	Method    string
	Params    json.RawMessage
	Taken     bool // a reply was given to it
	Withdrawn bool
}

// Desk holds requests and replies until they meet. The zero value is ready; the
// caller guards it.
type Desk struct {
	Asked   []*Ask
	replies []prepared
}

type prepared struct {
	method string
	Reply
}

// Put prepares replies.
func (d *Desk) Put(method string, replies ...Reply) {
	for _, r := range replies {
		d.replies = append(d.replies, prepared{method, r})
	}
}

// Take removes a reply that fits an open request.
func (d *Desk) Take(a *Ask) (Reply, bool) {
	if a.Taken || a.Withdrawn {
		return Reply{}, false
	}
	for i, r := range d.replies {
		if r.method == a.Method && strings.Contains(string(a.Params), r.Match) {
			d.replies = append(d.replies[:i:i], d.replies[i+1:]...)
			a.Taken = true
			return r.Reply, true
		}
	}
	return Reply{}, false
}

// Unused are the methods of replies that nothing was asked for.
func (d *Desk) Unused() (methods []string) {
	for _, r := range d.replies {
		methods = append(methods, r.method)
	}
	return methods
}

// Token of the progress that a request takes; nil = none.
func (a *Ask) Token() json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(a.Params, &m)
	if t, ok := m["progressToken"]; ok {
		return t
	}
	return m["partialResultToken"]
}
