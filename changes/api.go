package changes

import (
	"errors"

	"companion/text"
)

// ErrThread: no thread can have that id.
var ErrThread = errors.New("not a thread id")

// ErrNotChanged: the thread (or its turn) changed no such file, or all that it
// changed there was kept or undone before the state was loaded.
var ErrNotChanged = errors.New("not changed by this thread")

// State is what became of a hunk.
type State string

// The states of a hunk. Stale: it cannot be undone any more, because its file
// is gone or later edits of its own turn stand on what the user made of it.
const (
	StatePending State = "pending"
	StateKept    State = "kept"
	StateUndone  State = "undone"
	StateStale   State = "stale"
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

// Hunk is one place that was changed. Its ID is unique in its thread and stays
// while only others change the file. Where several turns of the thread changed
// one place, the thread's list shows one Hunk whose ID joins theirs by "+"; Keep
// and Undo take such an ID and those within it.
type Hunk struct {
	ID     string
	Thread string
	Turn   string // of several turns the newest
	Path   string // canonical
	// OldRange is in the Base text, NewRange in the Current text: whole lines,
	// 0-based, characters in utf-16. Of a hunk that is not pending both are
	// where they were when it was resolved.
	OldRange, NewRange text.Range
	State              State
	// Conflict: somebody else changed these lines since; it can be kept, not undone.
	Conflict bool
}

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

// Outcome is what Keep or Undo did with one hunk.
type Outcome string

// The outcomes. Conflict: left in place, the Message says why. OutcomeStale: no
// such pending hunk (any more).
const (
	OutcomeKept     Outcome = "kept"
	OutcomeUndone   Outcome = "undone"
	OutcomeConflict Outcome = "conflict"
	OutcomeStale    Outcome = "stale"
)

// HunkOutcome is the answer for one hunk that was selected.
type HunkOutcome struct {
	ID      string
	Path    string
	Outcome Outcome
	Message string // for a person; "" when all is well
}
