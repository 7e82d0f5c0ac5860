package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"companion/session"
	"companion/tools"
)

// Kind of a question, as approvals are named in docs/protocol.md.
type Kind string

// The kinds.
const (
	ToMode      Kind = "mode"        // more rights for the thread
	ToLoop      Kind = "loop"        // to go on in a circle
	Permissions Kind = "permissions" // paths, hosts and commands for the thread
)

// ErrNobody: there is no person to ask.
var ErrNobody = errors.New("nobody can be asked")

// Question is what a person is asked.
type Question struct {
	Thread, Turn string // Turn "" = between turns
	CallID       string // of the approval events
	Kind         Kind
	Title        string // one line
	Detail       string
	Plan         string // of the thread, where the question is about going on with it
	Arguments    json.RawMessage
	Yes          string // label of the button that allows
	No           string // label of the button that refuses; "" = "Reject"
	ForThread    bool   // a yes holds for the rest of the thread
}

// Reply is what the person said.
type Reply struct {
	Yes bool
	// Feedback is the person's words for the model.
	Feedback string
}

// Ask reaches a person and waits. The error is ErrNobody, ctx's, or
// tools.ErrStopped.
type Ask func(ctx context.Context, q Question) (Reply, error)

// Put asks and tells both events of an approval. A nil Ask is as one that gives
// ErrNobody; then nothing is told.
func (ask Ask) Put(ctx context.Context, q Question, emit func(session.Event)) (Reply, error) {
	if ask == nil {
		return Reply{}, ErrNobody
	}
	emit(session.Event{Turn: q.Turn, Type: session.ApprovalRequested, CallID: q.CallID})
	r, err := ask(ctx, q)
	decision, by := "rejectOnce", "user"
	switch {
	case errors.Is(err, ErrNobody):
		by = "rule"
	case err != nil:
		decision = "stop"
	case r.Yes && q.ForThread:
		decision = "allowThread"
	case r.Yes:
		decision = "allowOnce"
	}
	emit(session.Event{Turn: q.Turn, Type: session.ApprovalResolved, CallID: q.CallID, Decision: decision, By: by})
	return r, err
}

// Rights orders the modes: ask and plan change nothing, and so have the same.
func Rights(m tools.Mode) (rank int, known bool) {
	rank, known = map[tools.Mode]int{
		tools.ModeAsk: 0, tools.ModePlan: 0, tools.ModeEdit: 1, tools.ModeAgent: 2, tools.ModeFull: 3,
	}[m]
	return rank, known
}

// More tells whether a mode has more rights than another.
func More(from, to tools.Mode) bool {
	has, _ := Rights(from)
	gets, _ := Rights(to)
	return gets > has
}

// Mode is the question whether a thread may move to more rights.
func Mode(from, to tools.Mode, plan string) Question {
	return Question{
		Kind:      ToMode,
		Title:     fmt.Sprintf("Let this thread work in mode %s (now: %s)", to, from),
		Detail:    detail(to),
		Plan:      plan,
		Arguments: fmt.Appendf(nil, `{"from":%q,"to":%q}`, from, to),
		Yes:       "Allow",
	}
}

// detail says what a mode lets the agent do.
func detail(m tools.Mode) string {
	switch m {
	case tools.ModeFull:
		return "In mode full nothing is asked any more: the agent changes files and runs commands, also outside the folder, unless a rule denies it."
	case tools.ModeAgent:
		return "In mode agent files of the folder are changed without asking; commands are asked for unless a rule allows them."
	case tools.ModeEdit:
		return "In mode edit the agent may change files, and asks before each change."
	}
	return fmt.Sprintf("In mode %s nothing is changed.", m)
}

// Loop is the question whether a model may go on that what describes.
func Loop(what string) Question {
	return Question{
		Kind:   ToLoop,
		Title:  "Companion may be going round in circles: " + what,
		Detail: "Let it go on as it does, tell it to do something else, or stop the turn. It is asked again if it goes on for as long as now.",
		Yes:    "Go on",
		No:     "Do something else",
	}
}

// Told is what the model hears when the person wants something else: words
// says why, and behind it stands what the person says.
func Told(words, feedback string) string {
	if f := strings.TrimSpace(feedback); f != "" {
		return words + " The user says: " + f
	}
	return words
}
