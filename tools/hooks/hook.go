package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"companion/tools"
)

// The deadlines of hooks that name none.
const (
	Deadline       = 60 * time.Second // of what a call waits for
	NoticeDeadline = 2 * time.Second  // of what only hears
)

// Hook is one hook; the fields that are nil it does not have.
type Hook struct {
	Name string // for people and models
	When When   // the calls that it is for; the zero value is all
	// Deadline of each of its answers; 0 = those above.
	Deadline time.Duration
	// Lenient lets calls go on where Pre or Post fails.
	Lenient bool

	Pre     PreCall
	Approve Approver
	Post    PostCall
	Define  Definer
	Notices Lifecycle
}

// Call is what hooks see of a call.
type Call struct {
	Thread, Turn string
	Step         int // 1-based within the turn
	ID           string
	Agent        string // "" = the main agent
	Mode         tools.Mode
	Roots        []string
	Tool         string // full name; as the model wrote it where no tool has it
	ReadOnly     bool
	Source       tools.Source
	Args         json.RawMessage // coerced, as they will run; the model's bytes where they cannot be read
}

// PreCall judges a call before it is prepared.
type PreCall interface {
	PreCall(ctx context.Context, c Call) (Pre, error)
}

// Pre is what a PreCall wants; the zero value lets the call go on.
type Pre struct {
	Block string          // why the call must not run
	Args  json.RawMessage // other arguments; they are checked as the model's are
	Note  string          // for the model to read with the result
}

// Approver answers in place of a person. It is asked only where one would be.
type Approver interface {
	Approve(ctx context.Context, c Call, q Question) (Answer, error)
}

// Question is what a person would be asked.
type Question struct {
	Why     string
	Effects []tools.Effect
	Preview tools.Preview
}

// Answer of an Approver. One Deny wins over any Allow.
type Answer struct {
	Decision Decision
	Text     string // for the model, with Deny
}

// Decision of an Answer.
type Decision string

// The decisions.
const (
	NoOpinion Decision = ""
	Allow     Decision = "allow"
	Deny      Decision = "deny"
)

// PostCall judges the result of a call that ran, before the model sees it.
type PostCall interface {
	PostCall(ctx context.Context, c Call, r tools.Result) (Post, error)
}

// Post is what a PostCall wants; the zero value changes nothing.
type Post struct {
	Veto    string  // why the model must not see the result
	Replace *string // the text that the model sees instead; images and data go
	Note    string  // for the model to read behind the result
}

// Definer changes what a model is told of a tool before it is listed. Title,
// Description, SearchHint, Examples and Exposure count, all else stays as it
// was. It must give the same for the same.
type Definer interface {
	Define(s tools.Spec) tools.Spec
}

// Lifecycle hears of each call twice: when it is known what would run, or else
// as it ends; and when it has ended, in whatever way.
type Lifecycle interface {
	Started(ctx context.Context, c Call)
	Finished(ctx context.Context, c Call, e End)
}

// End of a call.
type End struct {
	Outcome     tools.Outcome
	Text        string // as the model reads it
	Changed     []string
	Queued, Ran time.Duration
}

func callOf(inv *tools.Invocation) Call {
	c := inv.Call
	out := Call{
		Thread: c.Thread, Turn: c.Turn, Step: c.Step, ID: c.ID, Agent: c.Agent, Mode: c.Mode, Roots: c.Roots,
		Tool: inv.Spec.Full(), ReadOnly: inv.Spec.ReadOnly, Source: inv.Spec.Source, Args: c.Args,
	}
	if inv.Spec.Name == "" {
		out.Tool = tools.Spec{Name: c.Name, Namespace: c.Namespace}.Full()
	}
	if len(out.Args) == 0 {
		out.Args = c.Raw
	}
	out.Args = bytes.Clone(out.Args) // what was checked is not a hook's to change
	return out
}
