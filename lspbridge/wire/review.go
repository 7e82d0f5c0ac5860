package wire

import (
	"companion/changes"
)

// ChangesListParams of companion/changes/list.
type ChangesListParams struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId,omitempty"`
}

// ChangesListResult of companion/changes/list.
type ChangesListResult struct {
	Files []ChangedFile `json:"files"`
}

// ChangedFile is one file that a thread or turn changed.
type ChangedFile struct {
	URI      string         `json:"uri"`
	From     string         `json:"from,omitempty" desc:"URI before a rename"`
	Status   changes.Status `json:"status" enum:"created|modified|deleted|renamed"`
	Version  *int32         `json:"version,omitempty"`
	Hash     string         `json:"hash" desc:"sha256: of the present text, empty when there is none"`
	BaseHash string         `json:"baseHash" desc:"of the text without what is pending"`
	Hunks    []Hunk         `json:"hunks"`
}

// Hunk is one place that was changed: whole lines.
type Hunk struct {
	ID       string        `json:"id"`
	OldRange Range         `json:"oldRange" desc:"in the base"`
	NewRange Range         `json:"newRange" desc:"in the present text"`
	State    changes.State `json:"state" enum:"pending|kept|undone|stale"`
	Conflict bool          `json:"conflict,omitempty" desc:"somebody else changed these lines since"`
}

// ChangesSelector names hunks: nothing but the thread = all that is pending.
type ChangesSelector struct {
	ThreadID string   `json:"threadId"`
	TurnID   string   `json:"turnId,omitempty"`
	URI      string   `json:"uri,omitempty"`
	HunkIDs  []string `json:"hunkIds,omitempty"`
}

// ChangesResult of companion/changes/keep and undo.
type ChangesResult struct {
	Hunks []HunkOutcome `json:"hunks"`
}

// HunkOutcome is what became of one hunk.
type HunkOutcome struct {
	ID      string          `json:"id"`
	Outcome changes.Outcome `json:"outcome" enum:"kept|undone|conflict|stale"`
	Message string          `json:"message,omitempty"`
}

// ChangesContentParams of companion/changes/content.
type ChangesContentParams struct {
	ThreadID string `json:"threadId"`
	URI      string `json:"uri"`
	Side     string `json:"side" enum:"base|current"`
	TurnID   string `json:"turnId,omitempty"`
}

// Text is a result of one text.
type Text struct {
	Text string `json:"text"`
}

// ChangesChanged of companion/changes/didChange.
type ChangesChanged struct {
	ThreadID string   `json:"threadId"`
	URIs     []string `json:"uris"`
}
