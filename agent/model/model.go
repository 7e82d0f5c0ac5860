// Package model is the vendor-neutral contract with language models: Request,
// Item, Event and Provider. It imports nothing of ours. One package below it
// projects the contract onto each vendor's wire.
//
// Never: know what a tool does, run anything, touch history.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// Role of a message.
type Role string

// Roles. Developer is text of ours in the middle of a thread.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Developer Role = "developer"
)

// ItemKind tells the items of a transcript apart.
type ItemKind string

// Item kinds.
const (
	Message   ItemKind = "message"
	Reasoning ItemKind = "reasoning"
	ToolCall  ItemKind = "call"
	ToolReply ItemKind = "result"
	// ToolsAdded are definitions (Loads) that the model is told of from here on;
	// of those that are Deferred only the names are there.
	ToolsAdded ItemKind = "tools"
)

// Item is one entry of a transcript. Transcripts are append-only.
type Item struct {
	Kind ItemKind
	ID   string // ours, unique in the thread
	Role Role   // messages
	Text string // messages, reasoning (summary), results
	// Images of a message or result.
	Images []Image

	CallID    string // calls and results: ours, unique in the thread
	Name      string // calls and results: the tool's name as listed
	Namespace string
	// Arguments are the model's bytes; may be cut off or no JSON at all.
	Arguments string
	IsError   bool // results
	// Incomplete: the output limit or the end of the stream cut this item off.
	Incomplete bool

	// Loads, of a result, are definitions of deferred tools that it made
	// callable.
	Loads []Tool
	// Hosted is a call, or the result of one, that the vendor ran: nobody runs it
	// here, and it is sent back only as its Raw.
	Hosted bool

	// Raw is the item as the vendor sent it, replayed verbatim to the same
	// RawFor ("provider/model"), ignored by every other.
	Raw    json.RawMessage
	RawFor string
}

// Image is a picture in a message or result.
type Image struct {
	MimeType string
	Data     []byte
}

// Tool is what a model is told of one tool.
type Tool struct {
	Name        string
	Namespace   string
	Description string
	Parameters  json.RawMessage // JSON Schema, type object; property order is kept on the wire
	Strict      bool            // the schema is ours: all required, no additional properties
	Grammar     string          // Lark grammar: a freeform tool
	Freeform    bool            // a freeform tool, also one without a grammar: any text
	// LongText: an argument is a large text, worth streaming unbuffered.
	LongText bool
	// NamespaceText describes Namespace as a whole; the same in all members.
	NamespaceText string
	// Search: the tool that finds deferred tools; its results have Loads.
	Search bool
	// Deferred: the definition may be sent where the vendor needs it, and the
	// model is shown it only once a result Loads it.
	Deferred bool
	// Hosted is a tool that the vendor runs: "web_search".
	Hosted   string
	Examples []json.RawMessage // whole arguments of good calls
}

// Request is one question to a model.
type Request struct {
	Model   string // without the provider's name
	System  string
	Items   []Item
	Tools   []Tool
	Options Options
	Takes   Takes
}

// Takes is what of the contract a model takes as it is; the rest is sent in the
// plain form that every model of the vendor takes. The zero value is always
// understood.
type Takes struct {
	Namespaces bool // namespaces; else flat names
	Freeform   bool // grammars; else functions of one string
	// Late: definitions may come in the middle of a thread, with a search's
	// result or as ToolsAdded; else what was found or added joins the list.
	Late bool
}

// Options of a request; zero values leave the vendor's default.
type Options struct {
	MaxOutput   int               // tokens
	Effort      string            // none, low, medium, high
	CacheKey    string            // the thread's id
	SerialCalls bool              // at most one call in a step
	NeverRetry  bool              // set once something of the step has run
	OnRetry     func(RetryNotice) `json:"-"`
}

// RetryNotice tells that a try failed and another follows after Wait.
type RetryNotice struct {
	Try  int // 1 = the first try failed
	Wait time.Duration
	Err  error
}

// EventKind tells events apart.
type EventKind string

// Event kinds. A stream is any number of deltas, items and usages and at its
// end exactly one Done, or an error.
const (
	TextDelta      EventKind = "text.delta"
	ReasoningDelta EventKind = "reasoning.delta"
	CallDelta      EventKind = "call.delta" // Text: more of the arguments of call ItemID
	ItemDone       EventKind = "item.done"
	UsageSeen      EventKind = "usage"
	Done           EventKind = "done"
)

// Event is one thing that a stream told.
type Event struct {
	Kind   EventKind
	ItemID string // deltas: which item they belong to, as in Item.ID later
	Text   string
	// Name and Namespace of the tool that is called: CallDelta, where it is known.
	Name, Namespace string
	Item            *Item
	Usage           *Usage
	Stop            Stop // Done
	Detail          string
}

// Stop is why a model ended its step.
type Stop string

// Stop reasons.
const (
	StopEnd     Stop = "end"
	StopTools   Stop = "tools"
	StopLength  Stop = "length"  // output limit: unfinished items are Incomplete
	StopRefusal Stop = "refusal" // Detail says why
	StopPause   Stop = "pause"   // send the transcript back unchanged
)

// Usage in tokens; cumulative for the step, the last one counts.
type Usage struct {
	Input     int // all input, cached included
	Cached    int // read from the vendor's cache
	Written   int // written to it, where the vendor tells
	Output    int
	Reasoning int
}

// Provider speaks to one vendor.
type Provider interface {
	// Name is the part before the slash: "openai".
	Name() string
	// Stream asks and yields events. Cancelling ctx ends it within 100 ms with
	// ctx's error. After an error nothing more is yielded; errors are *Error
	// or context errors.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// ErrorKind says what the caller can do about an error.
type ErrorKind string

// Error kinds.
const (
	ErrAuth      ErrorKind = "auth"      // key missing or refused
	ErrRequest   ErrorKind = "request"   // the vendor refuses what we sent
	ErrContext   ErrorKind = "context"   // too long for the model
	ErrRate      ErrorKind = "rate"      // still limited after our retries
	ErrOverload  ErrorKind = "overload"  // 5xx, 529
	ErrNetwork   ErrorKind = "network"   // no connection
	ErrStreamCut ErrorKind = "streamCut" // the stream ended before its end
	ErrEmpty     ErrorKind = "empty"     // a stream without any item
	ErrProtocol  ErrorKind = "protocol"  // bytes that are not the vendor's wire
)

// Error is what a provider reports; Text is for the user and says what to do.
type Error struct {
	Kind       ErrorKind
	Provider   string
	Status     int // HTTP, 0 = none
	Text       string
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Provider, e.Status, e.Text)
	}
	return fmt.Sprintf("%s: %s", e.Provider, e.Text)
}

func (e *Error) Unwrap() error { return e.Err }
