package session

import (
	"encoding/json"
	"time"
)

// EventType names an event as docs/protocol.md does.
type EventType string

// Durable events carry a Seq and are stored; deltas are not.
const (
	TurnStarted        EventType = "turn.started"
	TurnCompleted      EventType = "turn.completed"
	MessageDelta       EventType = "message.delta" // not stored
	MessageCompleted   EventType = "message.completed"
	ReasoningDelta     EventType = "reasoning.delta" // not stored
	ReasoningCompleted EventType = "reasoning.completed"
	ToolStarted        EventType = "tool.started"
	ToolPreview        EventType = "tool.preview"  // not stored
	ToolProgress       EventType = "tool.progress" // not stored
	ToolOutput         EventType = "tool.output"   // not stored
	ToolCompleted      EventType = "tool.completed"
	ApprovalRequested  EventType = "approval.requested"
	ApprovalResolved   EventType = "approval.resolved"
	ModeChanged        EventType = "mode.changed"
	PlanUpdated        EventType = "plan.updated"
	ChangesUpdated     EventType = "changes.updated"
	UsageReported      EventType = "usage"
	Warned             EventType = "warning"
	// TurnSteered: more input was read into a running turn.
	TurnSteered EventType = "turn.steered"
	// ContextCompacted: what the model is sent of the thread was shortened.
	ContextCompacted EventType = "context.compacted"
	// ThreadRenamed: a person gave the thread another title.
	ThreadRenamed EventType = "thread.renamed"
)

// Durable tells whether events of this type get a Seq and are stored.
func (t EventType) Durable() bool {
	switch t {
	case MessageDelta, ReasoningDelta, ToolPreview, ToolProgress, ToolOutput:
		return false
	}
	return true
}

// Event is what a thread tells the outside. Its JSON form is that of the thread
// log; the wire form is made in lspbridge.
type Event struct {
	Thread   string    `json:"thread"`
	Turn     string    `json:"turn,omitempty"`
	Seq      int64     `json:"seq,omitempty"`      // durable: from 1 without gaps in a thread
	AfterSeq int64     `json:"afterSeq,omitempty"` // deltas: the last durable Seq before it
	At       time.Time `json:"at"`
	Type     EventType `json:"type"`

	ItemID string `json:"itemId,omitempty"`
	CallID string `json:"callId,omitempty"`
	Text   string `json:"text,omitempty"`

	Input []Input `json:"input,omitempty"` // turn.started, turn.steered
	Mode  string  `json:"mode,omitempty"`
	Model string  `json:"model,omitempty"`

	Tool *ToolInfo `json:"tool,omitempty"` // tool.started
	End  *CallEnd  `json:"end,omitempty"`  // tool.completed
	Diff string    `json:"diff,omitempty"` // tool.preview

	Decision string `json:"decision,omitempty"` // approval.resolved: option kind
	By       string `json:"by,omitempty"`       // user, rule, hook, grant

	Usage *Usage `json:"usage,omitempty"`

	Files  []string `json:"files,omitempty"`  // changes.updated: canonical paths
	Before int      `json:"before,omitempty"` // context.compacted, in tokens
	After  int      `json:"after,omitempty"`  // context.compacted, in tokens
	Title  string   `json:"title,omitempty"`  // thread.renamed

	Steps []PlanStep `json:"steps,omitempty"` // plan.updated: the whole plan

	Status  string `json:"status,omitempty"` // turn.completed: completed, stopped, failed, limit
	Error   string `json:"error,omitempty"`
	Code    string `json:"code,omitempty"` // warning
	Message string `json:"message,omitempty"`
}

// PlanStep is one step of a thread's plan.
type PlanStep struct {
	Step   string `json:"step"`
	Status string `json:"status" enum:"pending|in_progress|completed"`
}

// Input is one part of what a person gave to a turn.
type Input struct {
	Type     string          `json:"type"` // text, selection, file, diagnostics, image, skill
	Text     string          `json:"text,omitempty"`
	URI      string          `json:"uri,omitempty"`
	Range    json.RawMessage `json:"range,omitempty"` // LSP range, utf-16
	Diags    json.RawMessage `json:"diagnostics,omitempty"`
	MimeType string          `json:"mimeType,omitempty"`
	Data     string          `json:"data,omitempty"` // base64
	Name     string          `json:"name,omitempty"`
}

// ToolInfo describes a call as it starts.
type ToolInfo struct {
	Name      string     `json:"name"`
	Namespace string     `json:"namespace,omitempty"`
	Source    string     `json:"source"`
	Activity  string     `json:"activity"`
	ReadOnly  bool       `json:"readOnly"`
	Locations []Location `json:"locations,omitempty"`
	Arguments string     `json:"arguments,omitempty"` // as run: the coerced copy, JSON
}

// Location of a call.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // 1-based
}

// CallEnd is how a call ended.
type CallEnd struct {
	Name       string          `json:"name,omitempty"`
	Outcome    string          `json:"outcome"`
	Text       string          `json:"text"`
	Shown      string          `json:"shown,omitempty"` // what the model got, where a hook put it in the place of Text
	Display    string          `json:"display,omitempty"`
	Truncated  bool            `json:"truncated,omitempty"`
	FullOutput string          `json:"fullOutput,omitempty"`
	Changed    []string        `json:"changed,omitempty"` // canonical paths
	Diff       string          `json:"diff,omitempty"`
	Report     json.RawMessage `json:"report,omitempty"` // diagnostics, form of DiagReport
	QueuedMs   int64           `json:"queuedMs"`
	RanMs      int64           `json:"ranMs"`
	SettleMs   int64           `json:"settleMs"`
}

// DiagReport is a tools.Report in the log and, field for field, on the wire.
type DiagReport struct {
	Status     string            `json:"status"`
	Checked    int               `json:"checked"`
	Candidates int               `json:"candidates"`
	New        []json.RawMessage `json:"new"` // LSP diagnostics with "uri"
	Fixed      []json.RawMessage `json:"fixed"`
	Remaining  int               `json:"remaining"`
}

// Usage in tokens.
type Usage struct {
	Input         int    `json:"inputTokens"`
	Cached        int    `json:"cachedTokens"`
	Written       int    `json:"cacheWriteTokens,omitempty"` // to the vendor's cache; part of Input
	Output        int    `json:"outputTokens"`
	ContextUsed   int    `json:"contextUsed,omitempty"`
	ContextWindow int    `json:"contextWindow,omitempty"`
	PrefixBroken  string `json:"prefixBroken,omitempty"`
}

// Add adds one step's usage; what the context holds is that of the step.
func (u *Usage) Add(step Usage) {
	u.Input += step.Input
	u.Cached += step.Cached
	u.Written += step.Written
	u.Output += step.Output
	if step.ContextUsed > 0 {
		u.ContextUsed, u.ContextWindow = step.ContextUsed, step.ContextWindow
	}
}

// Info is a line of the list of threads.
type Info struct {
	ID        string    `json:"threadId"`
	Title     string    `json:"title"`
	Cwd       string    `json:"cwd"` // absolute path
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	Turns     int       `json:"turns"`
	Status    string    `json:"status"` // idle, running, crashed
}

// Record is one line of a thread log: either an event or an item of the
// transcript (what the model was sent and answered).
type Record struct {
	Kind  string          `json:"kind"` // header, event, item, state, compact
	Event *Event          `json:"event,omitempty"`
	Item  json.RawMessage `json:"item,omitempty"` // the agent's encoding of a model.Item
	Info  *Info           `json:"info,omitempty"`
	V     int             `json:"v,omitempty"` // header: version of the format
}
