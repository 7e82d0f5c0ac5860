package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"companion/text"
	"companion/workspace/disk"
	"companion/workspace/place"
)

// document is one open buffer. Workspace.mu guards it.
type document struct {
	uri     string // as the editor spells it
	path    string // canonical; = uri when it is no file
	lang    string
	version int32
	text    string
	hash    string // of text, "" = not computed yet
	saved   string // what the disk holds, as far as known
	onDisk  bool   // saved is known
	format  text.Format
	// behind: companion wrote the file below a clean buffer whose editor takes
	// no edits, and the editor has not loaded it yet. The disk is the truth.
	behind bool
}

// watcher waits for a buffer to hold one text, however briefly.
type watcher struct {
	want    string
	exact   bool // the edit is about endings alone
	hit     bool
	landed  string        // the text that matched
	version int32         // its version
	seen    int           // states seen since the watch began
	done    chan struct{} // closed at the first match
}

func (d *document) dirty() bool {
	if d.behind || d.onDisk && d.text == d.saved {
		return false
	}
	// An editor may show one ending for a file with mixed ones.
	return !d.onDisk || text.WithEnding(d.text, text.LF) != text.WithEnding(d.saved, text.LF)
}

func (d *document) set(s string, version int32) {
	d.text, d.hash, d.version = s, "", version
}

// look lets the watchers of d's file see its present text. w.mu is held.
func (w *Workspace) look(d *document) {
	for _, x := range w.watchers[keyOf(d.path)] {
		x.seen++
		if !x.hit && (x.want == d.text || !x.exact && sameText(x.want, d.text)) {
			x.hit, x.landed, x.version = true, d.text, d.version
			close(x.done)
		}
	}
}

// sameText compares what was asked for with what a buffer holds. Editors force
// one line ending on a buffer, and some cannot leave out the last one.
func sameText(want, got string) bool {
	if want == got {
		return true
	}
	if d := len(want) - len(got); d > 2+len(got) || -d > 2+len(want) {
		return false
	}
	a, b := text.WithEnding(want, text.LF), text.WithEnding(got, text.LF)
	return strings.TrimSuffix(a, text.LF) == strings.TrimSuffix(b, text.LF)
}

// docAt is the buffer of a canonical path. When links gave the file several
// buffers, one with unsaved changes goes first, then the latest opened. w.mu is
// held.
func (w *Workspace) docAt(path string) *document {
	list := w.byPath[keyOf(path)]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		for _, d := range slices.Backward(list) {
			if d.dirty() {
				return d
			}
		}
	}
	return list[len(list)-1]
}

// docOf finds a buffer by its URI, also encoded in another way. w.mu is held.
func (w *Workspace) docOf(uri string) *document {
	if d := w.docs[uri]; d != nil || !isFileURI(uri) {
		return d
	}
	name, err := place.FromURI(uri, place.Windows)
	if err != nil {
		return nil
	}
	for _, d := range w.docs {
		if n, err := place.FromURI(d.uri, place.Windows); err == nil && keyOf(n) == keyOf(name) {
			return d
		}
	}
	return nil
}

func pathKeyOfURI(uri string) string {
	if !isFileURI(uri) {
		return uri
	}
	p, err := place.FromURI(uri, place.Windows)
	if err != nil {
		return uri
	}
	return place.Canonical(p)
}

func (w *Workspace) snapshotOf(d *document) Snapshot {
	f := File{Path: d.path, URI: d.uri, Rel: d.path, Outside: true}
	if _, rel, ok := w.rootOf(d.path); ok {
		f.Rel, f.Outside = rel, false
	}
	s := Snapshot{File: f, Exists: true, Open: true, Dirty: d.dirty(), Version: ptr(d.version), Format: d.format, Lang: d.lang}
	if d.behind {
		s.Exists = d.onDisk
		if s.Exists {
			s.Text, s.Hash = d.saved, hashOf(d.saved)
		}
		return s
	}
	if d.hash == "" {
		d.hash = hashOf(d.text)
	}
	s.Text, s.Hash = d.text, d.hash
	return s
}

func ptr[T any](v T) *T { return &v }

// Documents are the open buffers, by URI.
func (w *Workspace) Documents() []Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Snapshot, 0, len(w.docs))
	for _, d := range w.docs {
		out = append(out, w.snapshotOf(d))
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return strings.Compare(a.URI, b.URI) })
	return out
}

// Document is the open buffer of uri, in any spelling of it.
func (w *Workspace) Document(uri string) (Snapshot, bool) {
	w.mu.Lock()
	d := w.docs[uri]
	if d != nil {
		defer w.mu.Unlock()
		return w.snapshotOf(d), true
	}
	w.mu.Unlock()
	path := pathKeyOfURI(uri)
	w.mu.Lock()
	defer w.mu.Unlock()
	if d = w.docAt(path); d == nil {
		return Snapshot{}, false
	}
	return w.snapshotOf(d), true
}

// DidOpen puts a buffer into the mirror; a second one for the same URI
// replaces it. The buffer is dirty when its text is not the disk's.
func (w *Workspace) DidOpen(uri, lang string, version int32, content string) {
	path := pathKeyOfURI(uri)
	d := &document{uri: uri, path: path, lang: lang}
	if path != uri {
		if found, err := w.readDisk(context.Background(), path); err == nil && found.Exists {
			d.saved, d.onDisk, d.format = found.Text, true, found.Format
		}
	}
	if d.onDisk && d.saved == content {
		content = d.saved // one copy in memory
	}
	d.set(content, version)
	w.change(Opened, d, func() {
		if old := w.docs[uri]; old != nil {
			w.forget(old)
		}
		w.docs[uri] = d
		key := keyOf(path)
		w.byPath[key] = append(w.byPath[key], d)
		w.look(d)
	})
}

// forget takes a buffer out of the mirror. w.mu is held.
func (w *Workspace) forget(d *document) {
	delete(w.docs, d.uri)
	key := keyOf(d.path)
	w.byPath[key] = slices.DeleteFunc(w.byPath[key], func(o *document) bool { return o == d })
	if len(w.byPath[key]) == 0 {
		delete(w.byPath, key)
	}
}

// ContentChange replaces Range, or the whole text when it is nil.
type ContentChange struct {
	Range *text.Range
	Text  string
}

// RangeError says which change of a didChange starts after its end.
type RangeError struct {
	URI   string
	Index int // of the change, 0-based
	Range text.Range
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s: change %d: its range %d:%d-%d:%d starts after its end", e.URI, e.Index+1,
		e.Range.Start.Line+1, e.Range.Start.Character+1, e.Range.End.Line+1, e.Range.End.Character+1)
}

// DidChange applies changes one after the other, each to the text that the one
// before left; positions past an end are clamped. A document that is not open
// is ErrNotOpen and a reversed range a *RangeError; both change nothing.
func (w *Workspace) DidChange(uri string, version int32, changes []ContentChange, enc text.Encoding) error {
	for i, c := range changes {
		if c.Range != nil && c.Range.End.Less(c.Range.Start) {
			return &RangeError{uri, i, *c.Range}
		}
	}
	w.emitMu.Lock()
	defer w.emitMu.Unlock()
	w.mu.Lock()
	d := w.docOf(uri)
	if d == nil {
		w.mu.Unlock()
		return fmt.Errorf("%s: %w", uri, ErrNotOpen)
	}
	d.behind = false
	for _, c := range changes {
		d.set(splice(d.text, c, enc), version)
		w.look(d)
	}
	d.version = version
	snap := w.snapshotOf(d)
	w.mu.Unlock()
	w.emit(Event{Kind: Changed, Snapshot: snap})
	return nil
}

func splice(s string, c ContentChange, enc text.Encoding) string {
	if c.Range == nil {
		return c.Text
	}
	x := text.NewIndex(s)
	start, end := x.Offset(c.Range.Start, enc), x.Offset(c.Range.End, enc)
	return s[:start] + c.Text + s[end:]
}

// DidSave notes that the buffer is on disk; content is the saved text when the
// editor sends it.
func (w *Workspace) DidSave(uri string, content *string) {
	path := pathKeyOfURI(uri)
	var onDisk disk.File
	if path != uri {
		onDisk, _ = w.readDisk(context.Background(), path)
	}
	w.emitMu.Lock()
	defer w.emitMu.Unlock()
	w.mu.Lock()
	d := w.docOf(uri)
	if d == nil {
		w.mu.Unlock()
		return
	}
	d.behind = false
	if content != nil && *content != d.text {
		d.set(*content, d.version)
		w.look(d)
	}
	d.saved, d.onDisk = d.text, true
	if onDisk.Exists {
		d.format = onDisk.Format
	}
	snap := w.snapshotOf(d)
	w.mu.Unlock()
	w.emit(Event{Kind: Saved, Snapshot: snap})
}

// DidClose takes a buffer out of the mirror; what it had unsaved is gone, and
// the file's text is the disk's again.
func (w *Workspace) DidClose(uri string) {
	w.emitMu.Lock()
	defer w.emitMu.Unlock()
	w.mu.Lock()
	d := w.docOf(uri)
	if d == nil {
		w.mu.Unlock()
		return
	}
	w.forget(d)
	snap := w.snapshotOf(d)
	w.mu.Unlock()
	snap.Open, snap.Dirty, snap.Version = false, false, nil
	w.emit(Event{Kind: Closed, Snapshot: snap})
}

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
			w.noteDisk(f.Path, found, Event{Deleted: !found.Exists}, false)
		case errors.Is(err, ErrBinary), errors.Is(err, ErrTooLarge):
			w.emitMu.Lock()
			w.emit(Event{Kind: Disk, Snapshot: Snapshot{File: f, Exists: true}})
			w.emitMu.Unlock()
		case !errors.Is(err, ErrNotFile):
			w.log.Warn("a changed file cannot be read", "path", f.Path, "err", err)
		}
	}
}

// noteDisk brings the mirror up to what the disk holds and tells the observers.
// ours: companion wrote it.
func (w *Workspace) noteDisk(path string, found disk.File, e Event, ours bool) {
	w.emitMu.Lock()
	defer w.emitMu.Unlock()
	e.Kind, e.Snapshot = Disk, snapshotOfDisk(w.identify(path), found)
	w.mu.Lock()
	for _, d := range w.byPath[keyOf(path)] {
		clean := !d.dirty()
		d.saved, d.onDisk = found.Text, found.Exists
		if found.Exists {
			d.format = found.Format
		}
		d.behind = (d.behind || ours && clean) && !(d.onDisk && d.text == d.saved)
	}
	w.mu.Unlock()
	w.emit(e)
}

// change runs f on the mirror and tells the observers about d.
func (w *Workspace) change(kind EventKind, d *document, f func()) {
	w.emitMu.Lock()
	defer w.emitMu.Unlock()
	w.mu.Lock()
	f()
	snap := w.snapshotOf(d)
	w.mu.Unlock()
	w.emit(Event{Kind: kind, Snapshot: snap})
}
