package workspace

import (
	"context"
	"errors"
	"fmt"

	"companion/text"
	"companion/workspace/disk"
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
var ErrNotOpen = errors.New("not open in the editor")

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
	Version *int32 // of the open document
	Format  text.Format
	Lang    string // LSP language id, when open
}

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
	// claim is checked by the workspace against the mirror.
	ApplyEdit(ctx context.Context, e FileEdit) (EditAnswer, error)
}

// FileEdit is one edit as the editor gets it: minimal, by whole lines.
type FileEdit struct {
	URI      string
	Version  *int32      // nil = not open
	Edits    []text.Edit // byte offsets in Before
	Before   string
	Label    string
	Save     bool // the file was clean: keep it saved
	BaseHash string
}

// EditAnswer is what the editor says.
type EditAnswer struct {
	Applied bool
	Reason  string // why not, as far as told
	// Unsupported: this client cannot apply edits at all.
	Unsupported bool
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

// Event tells observers of a change, after it happened, in order per file.
type Event struct {
	Kind EventKind
	Snapshot
	Deleted bool // Disk
	Created bool // Disk
}

// Observer hears events on the goroutine that made the change; it must not
// block and must not call back into the Workspace's writers.
type Observer func(Event)
