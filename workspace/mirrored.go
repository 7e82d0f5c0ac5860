package workspace

import (
	"context"
	"errors"

	"companion/text"
)

// Documents are the open buffers, by URI.
func (w *Workspace) Documents() []Snapshot { return w.mirror.Documents() }

// Document is the open buffer of uri, in any spelling of it.
func (w *Workspace) Document(uri string) (Snapshot, bool) { return w.mirror.Document(uri) }

// DidOpen puts a buffer into the mirror; a second one for the same URI
// replaces it. The buffer is dirty when its text is not the disk's.
func (w *Workspace) DidOpen(uri, lang string, version int32, content string) {
	w.mirror.DidOpen(uri, lang, version, content)
}

// DidChange applies changes one after the other, each to the text that the one
// before left; positions past an end are clamped. A document that is not open
// is ErrNotOpen and a reversed range a *RangeError; both change nothing.
func (w *Workspace) DidChange(uri string, version int32, changes []ContentChange, enc text.Encoding) error {
	return w.mirror.DidChange(uri, version, changes, enc)
}

// Lose notes that a change of an open document could not be followed: until the
// editor sends the whole text, saves it or opens it anew, it is neither read nor
// changed (ErrLost). It is false when that was known, or the document is not
// open.
func (w *Workspace) Lose(uri string) bool { return w.mirror.Lose(uri) }

// DidSave notes that the buffer is on disk; content is the saved text when the
// editor sends it.
func (w *Workspace) DidSave(uri string, content *string) { w.mirror.DidSave(uri, content) }

// DidClose takes a buffer out of the mirror; what it had unsaved is gone, and
// the file's text is the disk's again.
func (w *Workspace) DidClose(uri string) { w.mirror.DidClose(uri) }

// Observe calls o after every change until cancel.
func (w *Workspace) Observe(o Observer) (cancel func()) { return w.mirror.Observe(o) }

// DiskChanged tells that paths changed on disk by another hand. A file that is
// no text, or too large, is told without its text; a folder is not told.
func (w *Workspace) DiskChanged(paths ...string) {
	for _, p := range paths {
		f, err := w.Resolve(p)
		if err != nil {
			continue
		}
		found, err := w.readDisk(context.Background(), f.Path)
		switch {
		case err == nil:
			w.mirror.NoteDisk(f.Path, found, Event{Deleted: !found.Exists}, false)
		case errors.Is(err, ErrBinary), errors.Is(err, ErrTooLarge):
			w.mirror.Tell(Event{Kind: Disk, Snapshot: Snapshot{File: f, Exists: true}})
		case !errors.Is(err, ErrNotFile):
			w.log.Warn("a changed file cannot be read", "path", f.Path, "err", err)
		}
	}
}
