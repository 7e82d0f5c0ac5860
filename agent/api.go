package agent

import (
	"errors"
	"log/slog"

	"companion/agent/archive"
	"companion/agent/card"
	"companion/agent/consent"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/sections"
	"companion/agent/turns"
	"companion/session"
	"companion/tools"
	"companion/tools/router"
)

// Errors of starting and stopping; lspbridge maps each to its wire code.
var (
	ErrThreadNotFound = archive.ErrThreadNotFound
	ErrTurnNotFound   = errors.New("no such turn")
	ErrTurnRunning    = archive.ErrTurnRunning
	ErrThreadBusy     = archive.ErrThreadBusy
	ErrNoModel        = errors.New("no such model")
	ErrClosed         = archive.ErrClosed
	// ErrInput: a part of an input cannot be used; the error says which and why.
	ErrInput = prompt.ErrInput
	// ErrMode: the person did not allow a mode with more rights.
	ErrMode = errors.New("the mode stays as it is")
	// ErrCursor: List was given a cursor that no page gave.
	ErrCursor = session.ErrCursor
)

// Models finds the provider of a "provider/model" name.
type Models interface {
	// Find returns the provider and the card; the error wraps ErrNoModel and
	// says how to set the model up.
	Find(name string) (model.Provider, Card, error)
}

// Card is what is known of one model.
type Card = card.Card

// Sink hears every event of every thread, in order per thread. It must not
// block.
type Sink func(session.Event)

// What context providers see and give.
type (
	ContextProvider = sections.Provider
	ThreadView      = sections.View
	EditorState     = sections.EditorState
	Tab             = sections.Tab
)

// Options of New.
type Options struct {
	Models   Models
	Registry *tools.Registry
	Pipeline tools.Handler
	Barrier  tools.Barrier // nil = none
	Context  []ContextProvider
	Store    Store
	Sink     Sink
	// Recorder keeps what calls changed; nil = nobody does.
	Recorder Recorder
	// Scene is what settings, rules and the thread's switches say of tools now,
	// asked before every step; mode and model are the agent's. nil = nothing.
	Scene func(thread string) router.Scene
	// Mode of threads that are started without one; nil = agent.
	Mode func() tools.Mode
	// Ask puts questions about a thread as a whole to a person; nil = nobody is
	// there: a person who starts a turn has said what it may do, a model may not.
	Ask consent.Ask
	// Closed hears that a thread was let go of, and Deleted that it was deleted.
	Closed, Deleted func(thread string)
	// Version of companion, for the thread log.
	Version  string
	MaxSteps int // of a turn; 0 = 100
	// MaxTokens of a turn: what was sent and not cached, and what was answered;
	// 0 = no limit.
	MaxTokens int
	// CompactAt is the share of a model's window, in percent, at which a thread is
	// shortened by itself; 0 = 80.
	CompactAt int
	Log       *slog.Logger
}

// Store keeps threads; *session.Store implements it.
type Store = archive.Store

// Recorder keeps what the calls of threads changed; *changes.Store implements
// it. Record is called as soon as a call has ended, in the order in which calls
// end, also for one that outlived its turn.
type Recorder interface {
	Record(thread, turn, callID string, changed []tools.Change) error
}

// Log is one thread's append-only log.
type Log = session.Log

// ThreadOptions of StartThread.
type ThreadOptions struct {
	Roots []string // [0] is the working folder
	Title string
	Mode  tools.Mode
	Model string
}

// TurnOptions of NewTurn.
type TurnOptions struct {
	Thread string // "" = a new thread of Roots
	Roots  []string
	Input  []session.Input
	Mode   tools.Mode // "" = the thread's
	ByUser bool       // the person chose Mode: that is their yes to its rights, but for full
	Model  string     // "" = the thread's
	Effort string
	Editor *EditorState
	Title  string
	// IfBusy says what happens when the thread has a turn.
	IfBusy IfBusy
}

// What others see of turns.
type (
	IfBusy      = turns.IfBusy
	Outcome     = turns.Outcome
	RunningTurn = turns.RunningTurn
)

// Ways of IfBusy and statuses of an Outcome.
const (
	Reject, Queue, Join               = turns.Reject, turns.Queue, turns.Join
	Completed, Stopped, Failed, Limit = turns.Completed, turns.Stopped, turns.Failed, turns.Limit
)

// ListQuery narrows List down.
type ListQuery = session.Query

// Transcript is what a client needs to show a thread.
type Transcript = archive.Transcript
