package wire

import (
	"encoding/json"
	"reflect"

	"companion/session"
)

// Event is what every companion/event has; EventShapes are its types.
type Event struct {
	ThreadID string            `json:"threadId"`
	TurnID   string            `json:"turnId,omitempty"`
	Seq      int64             `json:"seq,omitempty" desc:"of durable events: from 1 without gaps in a thread"`
	AfterSeq *int64            `json:"afterSeq,omitempty" desc:"of deltas: the last durable seq before it"`
	Type     session.EventType `json:"type"`
}

// EventShape is the form of one type of event.
type EventShape struct {
	Type session.EventType
	Body reflect.Type // a struct that embeds Event
}

// EventShapes are the forms of all events.
func EventShapes() []EventShape {
	return []EventShape{
		{session.TurnStarted, reflect.TypeFor[turnStarted]()},
		{session.MessageDelta, reflect.TypeFor[itemText]()},
		{session.MessageCompleted, reflect.TypeFor[itemText]()},
		{session.ReasoningDelta, reflect.TypeFor[itemText]()},
		{session.ReasoningCompleted, reflect.TypeFor[reasoningCompleted]()},
		{session.ToolStarted, reflect.TypeFor[toolStarted]()},
		{session.ToolPreview, reflect.TypeFor[toolPreview]()},
		{session.ToolProgress, reflect.TypeFor[toolProgress]()},
		{session.ToolOutput, reflect.TypeFor[toolOutput]()},
		{session.ToolCompleted, reflect.TypeFor[toolCompleted]()},
		{session.ApprovalRequested, reflect.TypeFor[approvalRequested]()},
		{session.ApprovalResolved, reflect.TypeFor[approvalResolved]()},
		{session.PlanUpdated, reflect.TypeFor[planUpdated]()},
		{session.ModeChanged, reflect.TypeFor[modeChanged]()},
		{session.TurnSteered, reflect.TypeFor[turnSteered]()},
		{session.ChangesUpdated, reflect.TypeFor[changesUpdated]()},
		{session.ContextCompacted, reflect.TypeFor[contextCompacted]()},
		{session.ThreadRenamed, reflect.TypeFor[threadRenamed]()},
		{session.UsageReported, reflect.TypeFor[usageReported]()},
		{session.Warned, reflect.TypeFor[warned]()},
		{session.TurnCompleted, reflect.TypeFor[turnCompleted]()},
	}
}

type turnStarted struct {
	Event
	Input []session.Input `json:"input"`
	Mode  string          `json:"mode"`
	Model string          `json:"model"`
}

// itemText is message.delta, message.completed and reasoning.delta.
type itemText struct {
	Event
	ItemID string `json:"itemId"`
	Text   string `json:"text"`
}

type reasoningCompleted struct {
	Event
	ItemID string `json:"itemId,omitempty"`
	Text   string `json:"text,omitempty"`
}

type toolStarted struct {
	Event
	ItemID    string     `json:"itemId"`
	CallID    string     `json:"callId"`
	Name      string     `json:"name"`
	Namespace string     `json:"namespace,omitempty"`
	Source    string     `json:"source"`
	Activity  string     `json:"activity"`
	ReadOnly  bool       `json:"readOnly"`
	Locations []Location `json:"locations"`
	Arguments string     `json:"arguments,omitempty" desc:"JSON, as run"`
}

type toolPreview struct {
	Event
	CallID string `json:"callId"`
	Diff   string `json:"diff,omitempty"`
	Text   string `json:"text,omitempty"`
}

type toolProgress struct {
	Event
	CallID   string `json:"callId"`
	Activity string `json:"activity,omitempty"`
}

type toolOutput struct {
	Event
	CallID string `json:"callId"`
	Text   string `json:"text"`
}

type toolCompleted struct {
	Event
	CallID      string          `json:"callId"`
	Outcome     string          `json:"outcome" enum:"ok|failed|denied|blocked|aborted|timeout"`
	Text        string          `json:"text"`
	Display     string          `json:"display,omitempty"`
	Truncated   bool            `json:"truncated"`
	FullOutput  string          `json:"fullOutput,omitempty"`
	Changed     []string        `json:"changed" desc:"URIs"`
	Diff        string          `json:"diff,omitempty"`
	Diagnostics json.RawMessage `json:"diagnostics,omitempty" type:"DiagReport"`
	QueuedMs    int64           `json:"queuedMs"`
	RanMs       int64           `json:"ranMs"`
	SettleMs    int64           `json:"settleMs"`
}

type approvalRequested struct {
	Event
	CallID string `json:"callId"`
}

type approvalResolved struct {
	Event
	CallID   string `json:"callId"`
	Decision string `json:"decision"`
	By       string `json:"by" enum:"user|rule|hook|grant"`
}

type planUpdated struct {
	Event
	Steps []session.PlanStep `json:"steps" desc:"the whole plan"`
}

type modeChanged struct {
	Event
	Mode string `json:"mode"`
}

type turnSteered struct {
	Event
	Input []session.Input `json:"input"`
}

type changesUpdated struct {
	Event
	Files []string `json:"files" desc:"URIs"`
}

type contextCompacted struct {
	Event
	Before int `json:"before" desc:"tokens"`
	After  int `json:"after" desc:"tokens"`
}

type threadRenamed struct {
	Event
	Title string `json:"title"`
}

type usageReported struct {
	Event
	session.Usage
}

type warned struct {
	Event
	Code    string `json:"code"`
	Message string `json:"message"`
}

type turnCompleted struct {
	Event
	Status string        `json:"status" enum:"completed|stopped|failed|limit"`
	Error  string        `json:"error,omitempty"`
	Usage  session.Usage `json:"usage"`
}
