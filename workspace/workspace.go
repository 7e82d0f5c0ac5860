package workspace

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"companion/workspace/disk"
	"companion/workspace/place"
)

// defaultMaxFile is Options.MaxFile when it is 0, in bytes.
const defaultMaxFile = 64 << 20

// Options of a Workspace.
type Options struct {
	Roots   []string // folders; the first is what relative paths start from
	Editor  Editor   // nil = headless: everything is written on disk
	MaxFile int64    // bytes of the largest file that is read; 0 = 64 MiB
	Log     *slog.Logger
}

// Workspace knows the user's files and is their only writer.
type Workspace struct {
	maxFile int64
	log     *slog.Logger
	locks   disk.Locks
	reads   readLog

	emitMu sync.Mutex // held from a change of the mirror until its observers heard of it

	mu        sync.Mutex // guards the fields below; never held while calling out
	roots     []string   // canonical
	readOnly  map[string]bool
	editor    Editor
	docs      map[string]*document // by URI as the editor spells it
	byPath    map[string][]*document
	watchers  map[string][]*watcher // by key of the path
	observers []*observer
}

type observer struct{ f Observer }

// New gives a workspace over folders that exist.
func New(opt Options) (*Workspace, error) {
	w := &Workspace{
		maxFile: opt.MaxFile, log: opt.Log, editor: opt.Editor,
		readOnly: map[string]bool{}, docs: map[string]*document{}, byPath: map[string][]*document{},
		watchers: map[string][]*watcher{},
	}
	if w.maxFile <= 0 {
		w.maxFile = defaultMaxFile
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if err := w.SetRoots(opt.Roots); err != nil {
		return nil, err
	}
	return w, nil
}

// Roots are the canonical folders, in the order given.
func (w *Workspace) Roots() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.roots)
}

// SetRoots replaces the roots. A root that is no folder is an error, and the
// roots stay as they were.
func (w *Workspace) SetRoots(roots []string) error {
	var out []string
	for _, r := range roots {
		abs, err := filepath.Abs(r)
		if err != nil {
			return fmt.Errorf("workspace folder %s: %w", r, err)
		}
		abs = place.Canonical(abs)
		info, err := os.Stat(abs)
		if err != nil {
			return fmt.Errorf("workspace folder %s: %w", r, err)
		}
		if !info.IsDir() {
			return fmt.Errorf("workspace folder %s: not a folder", r)
		}
		if !slices.Contains(out, abs) {
			out = append(out, abs)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.roots = out
	return nil
}

// SetEditor tells who applies edits to open buffers; nil = nobody.
func (w *Workspace) SetEditor(e Editor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editor = e
}

// SetReadOnly makes Apply refuse (or accept again) changes to files whose
// innermost root is this one.
func (w *Workspace) SetReadOnly(root string, readOnly bool) {
	if abs, err := filepath.Abs(root); err == nil {
		root = place.Canonical(abs)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if readOnly {
		w.readOnly[root] = true
	} else {
		delete(w.readOnly, root)
	}
}

// Observe calls o after every change until cancel.
func (w *Workspace) Observe(o Observer) (cancel func()) {
	entry := &observer{o}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.observers = append(slices.Clone(w.observers), entry)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.observers = slices.DeleteFunc(slices.Clone(w.observers), func(e *observer) bool { return e == entry })
	}
}

// emit tells the observers. emitMu is held, mu is not.
func (w *Workspace) emit(events ...Event) {
	w.mu.Lock()
	observers := w.observers
	w.mu.Unlock()
	for _, e := range events {
		for _, o := range observers {
			o.f(e)
		}
	}
}
