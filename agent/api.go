package agent

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// Errors of starting and stopping; lspbridge maps each to its wire code.
var (
	ErrThreadNotFound = errors.New("no such thread")
	ErrTurnNotFound   = errors.New("no such turn")
	ErrTurnRunning    = errors.New("a turn is running in this thread")
	ErrThreadBusy     = errors.New("the thread belongs to another process")
	ErrNoModel        = errors.New("no such model")
	ErrClosed         = errors.New("companion is shutting down")
)

// Models finds the provider of a "provider/model" name.
type Models interface {
	// Find returns the provider and the card; the error wraps ErrNoModel and
	// says how to set the model up.
	Find(name string) (model.Provider, Card, error)
}

// Card is what is known of one model.
type Card struct {
	ID            string // provider/model
	ContextWindow int    // tokens
	MaxOutput     int    // tokens, 0 = the vendor's default
	ParallelCalls bool
	Images        bool
	Offline       bool // no model at all: plain instructions are pointless
}

// Sink hears every event of every thread, in order per thread. It must not
// block.
type Sink func(session.Event)

// ContextProvider gives what a step should know besides the talk. Section is
// appended to the transcript when its text differs from the last one sent.
type ContextProvider interface {
	Name() string
	Section(ctx context.Context, t ThreadView) (string, error)
}

// ThreadView is what context providers may read of a thread.
type ThreadView struct {
	ID     string
	Roots  []string
	Mode   tools.Mode
	Editor EditorState
	// Touched are canonical paths that the thread has read or changed, newest
	// last, at most 50.
	Touched []string
}

// EditorState is what the editor last said of itself. Paths are absolute.
type EditorState struct {
	Active    string
	Selection string // "12:1-14:5", 1-based
	Tabs      []Tab
}

// Tab of the editor.
type Tab struct {
	Path     string
	IsActive bool
	IsDirty  bool
}

// Options of New.
type Options struct {
	Models   Models
	Registry *tools.Registry
	Pipeline tools.Handler
	Barrier  tools.Barrier // nil = none
	Context  []ContextProvider
	Store    Store
	Sink     Sink
	// Version of companion, for the thread log.
	Version  string
	MaxSteps int // of a turn; 0 = 100
	Log      *slog.Logger
}

// Store keeps threads; *session.Store implements it.
type Store interface {
	Create(info session.Info) (Log, error)
	// Open locks and replays a thread.
	Open(id string) (Log, []session.Record, error)
	// Read replays a thread that may be open in another process.
	Read(id string) ([]session.Record, error)
	List() ([]session.Info, error)
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
	Model  string     // "" = the thread's
	Effort string
	Editor *EditorState
	Title  string
}

// Outcome is how a turn ended, as its turn.completed event says.
type Outcome struct {
	Thread, Turn string
	Status       string // completed, stopped, failed, limit
	Error        string // for the user; "" when completed
	Text         string // the last message of the model
	Steps        int    // requests to the model
	Usage        session.Usage
}

// Statuses of an Outcome.
const (
	Completed = "completed"
	Stopped   = "stopped"
	Failed    = "failed"
	Limit     = "limit"
)

// RunningTurn is one turn that is reserved or running.
type RunningTurn struct {
	Thread, Turn string
	Title        string
	Mode         tools.Mode
	Model        string // provider/model
	Since        time.Time
}
