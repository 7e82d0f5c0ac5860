package hunk

import "companion/text"

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
