package mirror

import (
	"errors"

	"companion/text"
)

// ErrNotOpen: a document of the mirror is needed, and no editor opened it.
var ErrNotOpen = errors.New("not open in the editor")

// File is the identity of a file: two spellings of one file give one File.
type File struct {
	Path    string // canonical absolute: symlinks resolved as far as the path exists
	URI     string // as the editor spelled it when it is open, else file URI of Path
	Rel     string // from the root that holds it, slashes; = Path when Outside
	Outside bool
}

// Snapshot is one state of a file: the open buffer's if the editor has it open,
// else the disk's.
type Snapshot struct {
	File
	Exists  bool
	Text    string // decoded, without BOM, endings as they are
	Hash    string // "sha256:" + hex of Text in UTF-8
	Open    bool
	Dirty   bool   // open and not saved since the last change
	Lost    bool   // the editor shows another text: see Document.Lost
	Version *int32 // of the open document
	Format  text.Format
	Lang    string // LSP language id, when open
}

// EventKind of a workspace Event.
type EventKind string

// Event kinds. Opened, Changed, Saved and Closed speak of editor documents;
// Disk of a file that companion wrote, created, deleted or renamed on disk, or
// that was seen to change there.
const (
	Opened  EventKind = "opened"
	Changed EventKind = "changed"
	Saved   EventKind = "saved"
	Closed  EventKind = "closed"
	Disk    EventKind = "disk"
)

// Event tells observers of a change, after it happened, in order per file. Of
// Changed, Hash is "" where nobody has computed it yet.
type Event struct {
	Kind EventKind
	Snapshot
	Deleted bool // Disk
	Created bool // Disk
}

// Observer hears events on the goroutine that made the change; it must not
// block and must not call back into the Workspace's writers.
type Observer func(Event)
