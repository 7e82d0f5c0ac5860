package workspace

import (
	"context"
	"errors"
	"fmt"

	"companion/text"
	"companion/workspace/disk"
	"companion/workspace/mirror"
	"companion/workspace/place"
)

// Errors of naming a file.
var (
	// ErrOutside: the path lies outside every root, also through symlinks.
	ErrOutside = disk.ErrOutside
	// ErrNotFile: a directory, device, socket or FIFO where a file is needed.
	ErrNotFile = place.ErrNotFile
	// ErrBinary: the file's bytes are no text that can be shown and spliced.
	ErrBinary = disk.ErrBinary
	// ErrTooLarge: over Options.MaxFile.
	ErrTooLarge = disk.ErrTooLarge
)

// ErrNotOpen: a document of the mirror is needed, and no editor opened it.
var ErrNotOpen = mirror.ErrNotOpen

// Errors of changing a file. Each leaves every file as it was.
var (
	// ErrStale: the file is not what the change was made for (hash differs).
	ErrStale = disk.ErrStale
	// ErrExists: a Create found something there.
	ErrExists = disk.ErrExists
	// ErrRejected: the editor refused the edit.
	ErrRejected = errors.New("the editor refused the edit")
	// ErrNotApplied: the editor said applied, but its buffer does not hold the change.
	ErrNotApplied = errors.New("the editor did not apply the edit")
	// ErrReadOnly: the root is not trusted (SetReadOnly).
	ErrReadOnly = errors.New("in a folder that is not trusted")
	// ErrDirty: the editor cannot be asked and the buffer has unsaved changes.
	ErrDirty = errors.New("open with unsaved changes")
)

// ErrLost: the editor shows a text that is not known, because a change that it
// sent could not be followed; see Lose.
var ErrLost = errors.New("its text in the editor is not known, because the editor told of a change that makes no sense; " +
	"ask the user to save it, or to close it and open it again")

// What the mirror tells of files; see package mirror.
type (
	File          = mirror.File
	Snapshot      = mirror.Snapshot
	ContentChange = mirror.ContentChange
	RangeError    = mirror.RangeError
	EventKind     = mirror.EventKind
	Event         = mirror.Event
	Observer      = mirror.Observer
)

// Event kinds; see package mirror.
const (
	Opened  = mirror.Opened
	Changed = mirror.Changed
	Saved   = mirror.Saved
	Closed  = mirror.Closed
	Disk    = mirror.Disk
)

// ChangeKind is what a Change does.
type ChangeKind string

// Change kinds.
const (
	Modify ChangeKind = "modify"
	Create ChangeKind = "create"
	Delete ChangeKind = "delete"
	Rename ChangeKind = "rename"
)

// Change is one file's part of an Apply.
type Change struct {
	Kind   ChangeKind
	Path   string // canonical absolute
	From   string // Rename: the old path
	Base   string // Hash that the change was made for; "" for Create
	Before string // Snapshot.Text that the change was made for
	After  string // whole new text; ignored for Delete
	// Format of a file that Create makes; zero = UTF-8 without BOM.
	Format text.Format
	// Merge (Modify with Before, and the text of a Rename): when the file is
	// another than Base by now, also when it becomes so while the editor is
	// asked, the change is made to the present text, around what was changed
	// since, by whole lines. Where both changed the same lines the error is a
	// *ConflictError. Without Merge it is ErrStale.
	Merge bool
	// Unsaved (Delete): what is unsaved in the buffer may go with the file; where
	// the editor deletes it, and the text is Base.
	Unsaved bool
	// AllowOutside: the user allowed to write this path although it lies
	// outside the roots.
	AllowOutside bool
}

// Applied is one file after Apply.
type Applied struct {
	File
	Kind    ChangeKind
	From    string
	Before  string      // with Merge, what the change was made to
	Format  text.Format // of the file before; of the new one for Create
	Merged  bool        // Before is another text than the change was made for
	After   string      // the text as it landed: in the buffer when open; what a formatter or the user changed since is not in it
	Hash    string
	Version *int32
	Buffer  bool // landed in an open buffer, not (yet) on disk
	Saved   bool
}

// ConflictError says where a change with Merge meets what was changed since;
// it is an ErrStale.
type ConflictError struct {
	Ranges []text.Range // of Text, whole lines, 0-based, characters in utf-16
	Text   string       // the present text
}

// ErrConflict is what every *ConflictError is.
var ErrConflict = fmt.Errorf("%w: the same lines were changed since", ErrStale)

func (e *ConflictError) Error() string {
	if len(e.Ranges) == 0 {
		return ErrConflict.Error()
	}
	return fmt.Sprintf("%v (line %d)", ErrConflict, e.Ranges[0].Start.Line+1)
}

func (e *ConflictError) Unwrap() error { return ErrConflict }

// ApplyError says which file stopped a set of changes; every file of the set is
// as it was unless Left names it.
type ApplyError struct {
	Path string
	Err  error
	Left []string // files that could not be taken back
}

func (e *ApplyError) Error() string {
	s := fmt.Sprintf("%s: %v", e.Path, e.Err)
	if len(e.Left) > 0 {
		s += fmt.Sprintf(" (could not be taken back: %v)", e.Left)
	}
	return s
}

func (e *ApplyError) Unwrap() error { return e.Err }

// Editor is what the workspace asks of an editor. lspbridge implements it.
type Editor interface {
	// ApplyEdit asks the editor to change one file and returns its answer. The
	// claim is checked by the workspace against the mirror and the disk.
	ApplyEdit(ctx context.Context, e FileEdit) (EditAnswer, error)
}

// FileEdit is one edit as the editor gets it: minimal, by whole lines. At most
// one of Create, Delete and RenameTo is set, and only for a Reacher that offers
// it.
type FileEdit struct {
	URI      string
	Version  *int32      // nil = not open
	Edits    []text.Edit // byte offsets in Before; of a rename to be made under either name
	Before   string
	Label    string
	Save     bool   // the editor is to save the file (SavePolicy)
	BaseHash string // of Before, "" for Create
	Create   bool   // Before is ""; Edits insert the whole text
	Delete   bool
	RenameTo string // URI
}

// EditReason says in one word why an edit was not applied, where an editor
// tells (docs/protocol.md, companion/edit/apply).
type EditReason string

// The reasons. NotOpen: companion is to write the disk. Modified comes with
// Applied: save hooks changed the text afterwards.
const (
	VersionMismatch EditReason = "versionMismatch"
	ReadOnly        EditReason = "readOnly"
	NotFound        EditReason = "notFound"
	NotOpen         EditReason = "notOpen"
	Rejected        EditReason = "rejected"
	Conflicting     EditReason = "conflict"
	Unsupported     EditReason = "unsupported"
	Modified        EditReason = "modified"
)

// EditAnswer is what the editor says.
type EditAnswer struct {
	Applied bool
	Reason  string     // why not, in the editor's words
	Why     EditReason // "" = it said nothing that we know
	// Unsupported: this client cannot apply edits at all; as Why Unsupported.
	Unsupported bool
}
