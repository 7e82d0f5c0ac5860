package wire

import (
	"encoding/json"

	"companion/permission"
)

// Approval is the params of companion/approval/request.
type Approval struct {
	ThreadID  string          `json:"threadId"`
	TurnID    string          `json:"turnId"`
	CallID    string          `json:"callId"`
	Kind      permission.Kind `json:"kind" enum:"tool|command|edit|network|escalate|permissions|mode|loop|trust"`
	Title     string          `json:"title"`
	Detail    string          `json:"detail"`
	Preview   *Preview        `json:"preview,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty" type:"object"`
	Editable  bool            `json:"editable"`
	Options   []Option        `json:"options"`
}

// Preview of what would be done.
type Preview struct {
	Diff    string `json:"diff,omitempty"`
	Command string `json:"command,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Plan    string `json:"plan,omitempty"`
}

// Option is one button.
type Option struct {
	ID    string                `json:"id"`
	Label string                `json:"label"`
	Kind  permission.OptionKind `json:"kind" enum:"allowOnce|allowThread|allowAlways|rejectOnce|stop"`
	Rule  string                `json:"rule,omitempty"`
}

// EncodeApproval gives the wire form of a request for approval.
func EncodeApproval(r permission.Request) Approval {
	a := Approval{
		ThreadID: r.Thread, TurnID: r.Turn, CallID: r.CallID, Kind: r.Kind, Title: r.Title, Detail: r.Detail,
		Options: make([]Option, 0, len(r.Options)), Editable: r.Editable,
	}
	if json.Valid(r.Arguments) {
		a.Arguments = r.Arguments
	}
	if p := r.Preview; p.Diff != "" || p.Command != "" || p.Cwd != "" || p.Text != "" {
		a.Preview = &Preview{p.Diff, p.Command, p.Cwd, p.Text}
	}
	for _, o := range r.Options {
		a.Options = append(a.Options, Option{o.ID, o.Label, o.Kind, o.Rule})
	}
	return a
}
