package changes

import (
	"errors"

	"companion/changes/hunk"
)

// ErrThread: no thread can have that id.
var ErrThread = errors.New("not a thread id")

// ErrNotChanged: the thread (or its turn) changed no such file, or all that it
// changed there was kept or undone before the state was loaded.
var ErrNotChanged = errors.New("not changed by this thread")

// State, Hunk, Outcome and HunkOutcome are those of package hunk.
type (
	State       = hunk.State
	Hunk        = hunk.Hunk
	Outcome     = hunk.Outcome
	HunkOutcome = hunk.HunkOutcome
)

// The states of a hunk; see package hunk.
const (
	StatePending = hunk.StatePending
	StateKept    = hunk.StateKept
	StateUndone  = hunk.StateUndone
	StateStale   = hunk.StateStale
)

// The outcomes of Keep and Undo; see package hunk.
const (
	OutcomeKept     = hunk.OutcomeKept
	OutcomeUndone   = hunk.OutcomeUndone
	OutcomeConflict = hunk.OutcomeConflict
	OutcomeStale    = hunk.OutcomeStale
)

// Status is what a thread or a turn did to a file.
type Status string

// The statuses of a FileChange.
const (
	Created  Status = "created"
	Modified Status = "modified"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed"
)

// Side names one of the texts of a changed file.
type Side string

// The sides: Base is the present text without what is pending, Current the
// present text, in the editor's buffer when it is open.
const (
	Base    Side = "base"
	Current Side = "current"
)

// FileChange is one file that a thread, or one of its turns, changed.
type FileChange struct {
	Path     string // canonical absolute, of today
	URI      string // as the editor spells it when it is open
	From     string // Renamed: the path before
	Status   Status
	Exists   bool
	Version  *int32 // of the editor's document when it is open
	Hash     string // "sha256:" + hex of the Current text; "" when the file is not there
	BaseHash string // of the Base text; "" when Base has no such file
	Hunks    []Hunk // by place, then those that are resolved
}

// Selector names hunks of a thread; each field but Thread may be empty, and
// narrows them down.
type Selector struct {
	Thread string
	Turn   string
	Path   string // canonical absolute
	Hunks  []string
}
