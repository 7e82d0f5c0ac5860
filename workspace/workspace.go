package workspace

import (
	"log/slog"
	"sync"

	"companion/workspace/disk"
	"companion/workspace/intent"
	"companion/workspace/mirror"
	"companion/workspace/place"
	"companion/workspace/seen"
)

// defaultMaxFile is Options.MaxFile when it is 0, in bytes.
const defaultMaxFile = 64 << 20

// Options of a Workspace.
type Options struct {
	Roots   []string // folders; the first is what relative paths start from
	Editor  Editor   // nil = headless: everything is written on disk
	MaxFile int64    // bytes of the largest file that is read; 0 = 64 MiB
	Log     *slog.Logger
	// Intents is the folder where sets of changes are written down before they
	// are made (package intent); "" = a crash leaves them half made.
	Intents string
}

// Workspace knows the user's files and is their only writer.
type Workspace struct {
	maxFile int64
	log     *slog.Logger
	locks   disk.Locks
	reads   seen.Log
	roots   place.Roots
	mirror  *mirror.Mirror
	intents *intent.Log

	mu     sync.Mutex // guards the fields below; never held while calling out
	editor Editor
	saving SavePolicy
}

// New gives a workspace over folders that exist.
func New(opt Options) (*Workspace, error) {
	w := &Workspace{maxFile: opt.MaxFile, log: opt.Log, editor: opt.Editor, intents: intent.Open(opt.Intents)}
	if w.maxFile <= 0 {
		w.maxFile = defaultMaxFile
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	w.mirror = mirror.New(&w.roots, w.maxFile)
	return w, w.SetRoots(opt.Roots)
}

// SetEditor tells who applies edits to open buffers; nil = nobody.
func (w *Workspace) SetEditor(e Editor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editor = e
}

// SavePolicy says whether an editor is asked to save what it applied.
type SavePolicy string

// The policies of the setting edits.save.
const (
	SaveIfWasClean SavePolicy = "ifWasClean" // the default
	SaveAlways     SavePolicy = "always"
	SaveNever      SavePolicy = "never"
)

// SetSavePolicy sets FileEdit.Save of the edits to come. Taking an edit back
// never saves what the user typed since, whatever the policy.
func (w *Workspace) SetSavePolicy(p SavePolicy) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saving = p
}

// save tells whether a buffer that is dirty or not is to be saved after an edit.
func (w *Workspace) save(dirty bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saving == SaveAlways || w.saving != SaveNever && !dirty
}

// SetReadOnly makes Apply refuse (or accept again) changes to files whose
// innermost root is this one.
func (w *Workspace) SetReadOnly(root string, readOnly bool) { w.roots.SetReadOnly(root, readOnly) }

// Roots are the canonical folders, in the order given.
func (w *Workspace) Roots() []string { return w.roots.List() }

// SetRoots replaces the roots. A root that is no folder is an error, and the
// roots stay as they were.
func (w *Workspace) SetRoots(roots []string) error { return w.roots.Set(roots) }
