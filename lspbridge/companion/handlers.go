package companion

import (
	"context"
	"encoding/json"
	"log/slog"

	"companion/agent"
	"companion/changes"
	"companion/dynamic"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// Turn is a turn that was reserved and does not run yet.
type Turn interface {
	ThreadID() string
	ID() string
	// Run blocks until turn.completed; ctx stops it.
	Run(ctx context.Context)
}

// Threads is what the bridge asks of the agent about threads. Ids that are not
// known are agent.ErrThreadNotFound.
type Threads interface {
	StartThread(o agent.ThreadOptions) (session.Info, error)
	Resume(thread string) (session.Info, error)
	// Fork makes a new thread of all up to the end of a turn, "" = the last.
	Fork(thread, atTurn string) (session.Info, error)
	Rename(thread, title string) error
	Delete(thread string) error
	CloseThread(thread string) error
}

// Reader gives what is stored of threads, also of those of other processes.
type Reader interface {
	List(q agent.ListQuery) (infos []session.Info, cursor string, err error)
	Read(thread string, sinceSeq int64, limit int) (agent.Transcript, error)
}

// Turns is what the bridge asks of running turns.
type Turns interface {
	// Steer hands input to a running turn; agent.ErrTurnNotFound when it ended.
	Steer(thread, turn string, input []session.Input) (accepted bool, err error)
	// Compact gives the tokens before and after.
	Compact(ctx context.Context, thread string) (before, after int, err error)
	SetEditor(s agent.EditorState)
}

// ToolHost holds the editor's tools; *dynamic.Host implements it.
type ToolHost interface {
	Register(owner string, specs []dynamic.Spec, namespaces []dynamic.Namespace, replace bool) (registered []string, rejected []dynamic.Rejection, revision int)
	Unregister(owner string, names []string) (removed, unknown []string, revision int)
	SetEnabled(names []string, enabled bool, thread string) (revision int)
	OnChange(f func(revision int)) (cancel func())
}

// Changes is what is known of the agent's changes; *changes.Store implements
// it.
type Changes interface {
	List(thread, turn string) ([]changes.FileChange, error)
	Content(thread, path string, side changes.Side, turn string) (string, error)
	Keep(ctx context.Context, sel changes.Selector) ([]changes.HunkOutcome, error)
	Undo(ctx context.Context, sel changes.Selector) ([]changes.HunkOutcome, error)
	// Newest is the thread whose pending changes are the newest, "" = none.
	Newest() string
	OnChange(f func(thread string, paths []string)) (cancel func())
}

// Handlers answer the companion/* methods of one editor. Workspace, NewTurn,
// Stop and the functions below Owner are required; a nil part answers
// notOffered.
type Handlers struct {
	Workspace *workspace.Workspace
	NewTurn   func(o agent.TurnOptions) (Turn, error)
	Stop      func(ctx context.Context, thread, turn string) error
	Threads   Threads
	Reader    Reader
	Turns     Turns
	Tools     ToolHost
	Changes   Changes
	// Specs are all registered tools, Revision counts their changes.
	Specs func() (specs []tools.Spec, revision int)
	// Stand says where each tool stands in a thread ("" = a new one) for a model
	// ("" = the thread's); nil = where its definition puts it.
	Stand    func(thread, model string, specs []tools.Spec) ([]tools.Standing, error)
	Models   func() wire.ModelList
	Register func(models []wire.LentModel) (revision int)
	State    func() wire.Status
	// Owner of the tools that initialize brings.
	Owner string
	Log   *slog.Logger

	// Encoding is that of the connection's positions.
	Encoding text.Encoding
	// ToUTF16 and FromUTF16 convert the positions in a range, or in a list of
	// things with ranges, of a document.
	ToUTF16, FromUTF16 func(uri string, raw json.RawMessage) json.RawMessage
	// Started hears of a reserved turn while its request is answered; it runs
	// it after that answer.
	Started func(r *rpc.Request, t Turn, title string)
	// Adopt makes the directory of a file a root where there is none.
	Adopt func(f workspace.File)
	// Follow makes the editor hear the events of a thread, or no longer.
	Follow func(thread string, yes bool)
	// Trust takes what the user says of folders.
	Trust func(folder string, trusted bool)
}
