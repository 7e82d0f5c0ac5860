package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"companion/text"
	"companion/workspace/disk"
	"companion/workspace/place"
)

// Mirror is the open buffers of one editor.
type Mirror struct {
	roots   *place.Roots
	maxFile int64 // bytes of the largest file that is read

	emitMu sync.Mutex // held from a change of the mirror until its observers heard of it

	mu        sync.Mutex           // guards the fields below; never held while calling out
	docs      map[string]*Document // by URI as the editor spells it
	byPath    map[string][]*Document
	watchers  map[string][]*Watcher // by key of the path
	observers []*observer
}

type observer struct{ f Observer }

// New gives the mirror of an editor that has nothing open.
func New(roots *place.Roots, maxFile int64) *Mirror {
	return &Mirror{
		roots: roots, maxFile: maxFile,
		docs: map[string]*Document{}, byPath: map[string][]*Document{}, watchers: map[string][]*Watcher{},
	}
}

// Key makes one map key of the spellings of one canonical path.
func Key(path string) string { return place.Key(path, place.Windows) }

// IsFile tells whether a URI has the scheme file.
func IsFile(uri string) bool {
	return len(uri) > 5 && strings.EqualFold(uri[:5], "file:")
}

// Virtual is the identity of a document that is no file.
func Virtual(uri string) File { return File{Path: uri, URI: uri, Rel: uri, Outside: true} }

// look lets the watchers of d's file see its present text. m.mu is held.
func (m *Mirror) look(d *Document) {
	for _, x := range m.watchers[Key(d.Path)] {
		x.Look(d)
	}
}

// docAt is the buffer of a canonical path. When links gave the file several
// buffers, one with unsaved changes goes first, then the latest opened. m.mu is
// held.
func (m *Mirror) docAt(path string) *Document {
	list := m.byPath[Key(path)]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		for _, d := range slices.Backward(list) {
			if d.Dirty() {
				return d
			}
		}
	}
	return list[len(list)-1]
}

// docOf finds a buffer by its URI, also encoded in another way. m.mu is held.
func (m *Mirror) docOf(uri string) *Document {
	if d := m.docs[uri]; d != nil || !IsFile(uri) {
		return d
	}
	name, err := place.FromURI(uri, place.Windows)
	if err != nil {
		return nil
	}
	for _, d := range m.docs {
		if n, err := place.FromURI(d.URI, place.Windows); err == nil && Key(n) == Key(name) {
			return d
		}
	}
	return nil
}

func pathKeyOfURI(uri string) string {
	if !IsFile(uri) {
		return uri
	}
	p, err := place.FromURI(uri, place.Windows)
	if err != nil {
		return uri
	}
	return place.Canonical(p)
}

func (m *Mirror) snapshotOf(d *Document) Snapshot { return m.shot(d, true) }

// shot is snapshotOf; not hashed leaves out a hash that is not known yet, which
// costs more than all else of a keystroke in a large text.
func (m *Mirror) shot(d *Document, hashed bool) Snapshot {
	f := File{Path: d.Path, URI: d.URI, Rel: d.Path, Outside: true}
	if _, rel, ok := m.roots.Of(d.Path); ok {
		f.Rel, f.Outside = rel, false
	}
	s := Snapshot{File: f, Exists: true, Open: true, Dirty: d.Dirty(), Lost: d.Lost, Version: ptr(d.Version), Format: d.Format, Lang: d.Lang}
	if d.Behind {
		s.Exists = d.OnDisk
		if s.Exists {
			s.Text, s.Hash = d.Saved, Hash(d.Saved)
		}
		return s
	}
	if d.Hash == "" && hashed {
		d.Hash = Hash(d.Text)
	}
	s.Text, s.Hash = d.Text, d.Hash
	return s
}

func ptr[T any](v T) *T { return &v }

// Documents are the open buffers, by URI.
func (m *Mirror) Documents() []Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Snapshot, 0, len(m.docs))
	for _, d := range m.docs {
		out = append(out, m.snapshotOf(d))
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return strings.Compare(a.URI, b.URI) })
	return out
}

// Document is the open buffer of uri, in any spelling of it.
func (m *Mirror) Document(uri string) (Snapshot, bool) {
	m.mu.Lock()
	d := m.docs[uri]
	if d != nil {
		defer m.mu.Unlock()
		return m.snapshotOf(d), true
	}
	m.mu.Unlock()
	path := pathKeyOfURI(uri)
	m.mu.Lock()
	defer m.mu.Unlock()
	if d = m.docAt(path); d == nil {
		return Snapshot{}, false
	}
	return m.snapshotOf(d), true
}

// DidOpen puts a buffer into the mirror; a second one for the same URI
// replaces it. The buffer is dirty when its text is not the disk's.
func (m *Mirror) DidOpen(uri, lang string, version int32, content string) {
	path := pathKeyOfURI(uri)
	d := &Document{URI: uri, Path: path, Lang: lang}
	if path != uri {
		if found, err := disk.Read(context.Background(), path, m.maxFile); err == nil && found.Exists {
			d.Saved, d.OnDisk, d.Format = found.Text, true, found.Format
		}
	}
	if d.OnDisk && d.Saved == content {
		content = d.Saved // one copy in memory
	}
	d.Set(content, version)
	m.change(Opened, d, func() {
		if old := m.docs[uri]; old != nil {
			m.forget(old)
		}
		m.docs[uri] = d
		key := Key(path)
		m.byPath[key] = append(m.byPath[key], d)
		m.look(d)
	})
}

// forget takes a buffer out of the mirror. m.mu is held.
func (m *Mirror) forget(d *Document) {
	delete(m.docs, d.URI)
	key := Key(d.Path)
	m.byPath[key] = slices.DeleteFunc(m.byPath[key], func(o *Document) bool { return o == d })
	if len(m.byPath[key]) == 0 {
		delete(m.byPath, key)
	}
}

// DidChange applies changes one after the other, each to the text that the one
// before left; positions past an end are clamped. A document that is not open
// is ErrNotOpen and a reversed range a *RangeError; both change nothing. In a
// document that is lost only a change of the whole text counts.
func (m *Mirror) DidChange(uri string, version int32, changes []ContentChange, enc text.Encoding) error {
	for i, c := range changes {
		if c.Range != nil && c.Range.End.Less(c.Range.Start) {
			return &RangeError{uri, i, *c.Range}
		}
	}
	m.emitMu.Lock()
	defer m.emitMu.Unlock()
	m.mu.Lock()
	d := m.docOf(uri)
	if d == nil {
		m.mu.Unlock()
		return fmt.Errorf("%s: %w", uri, ErrNotOpen)
	}
	d.Behind = false
	if d.Lost {
		whole := slices.IndexFunc(changes, func(c ContentChange) bool { return c.Range == nil })
		if whole < 0 {
			d.Version = version
			m.mu.Unlock()
			return nil
		}
		changes, d.Lost = changes[whole:], false
	}
	for _, c := range changes {
		d.Set(Splice(d.Text, c, enc), version)
		m.look(d)
	}
	d.Version = version
	snap := m.shot(d, false)
	m.mu.Unlock()
	m.emit(Event{Kind: Changed, Snapshot: snap})
	return nil
}

// Lose notes that a change of an open document could not be followed. It is
// false when that was known, or the document is not open.
func (m *Mirror) Lose(uri string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.docOf(uri)
	if d == nil || d.Lost {
		return false
	}
	d.Lost = true
	return true
}

// DidSave notes that the buffer is on disk; content is the saved text when the
// editor sends it.
func (m *Mirror) DidSave(uri string, content *string) {
	path := pathKeyOfURI(uri)
	var onDisk disk.File
	if path != uri {
		onDisk, _ = disk.Read(context.Background(), path, m.maxFile)
	}
	m.emitMu.Lock()
	defer m.emitMu.Unlock()
	m.mu.Lock()
	d := m.docOf(uri)
	if d == nil {
		m.mu.Unlock()
		return
	}
	d.Behind = false
	if d.Lost && content == nil && onDisk.Exists {
		content = &onDisk.Text
	}
	d.Lost = d.Lost && content == nil
	if content != nil && *content != d.Text {
		d.Set(*content, d.Version)
		m.look(d)
	}
	d.Saved, d.OnDisk = d.Text, true
	if onDisk.Exists {
		d.Format = onDisk.Format
	}
	snap := m.snapshotOf(d)
	m.mu.Unlock()
	m.emit(Event{Kind: Saved, Snapshot: snap})
}

// DidClose takes a buffer out of the mirror; what it had unsaved is gone, and
// the file's text is the disk's again.
func (m *Mirror) DidClose(uri string) {
	m.emitMu.Lock()
	defer m.emitMu.Unlock()
	m.mu.Lock()
	d := m.docOf(uri)
	if d == nil {
		m.mu.Unlock()
		return
	}
	m.forget(d)
	snap := m.snapshotOf(d)
	m.mu.Unlock()
	snap.Open, snap.Dirty, snap.Version = false, false, nil
	m.emit(Event{Kind: Closed, Snapshot: snap})
}

// NoteDisk brings the mirror up to what the disk holds and tells the observers.
// ours: companion wrote it.
func (m *Mirror) NoteDisk(path string, found disk.File, e Event, ours bool) {
	m.emitMu.Lock()
	defer m.emitMu.Unlock()
	e.Kind, e.Snapshot = Disk, OfDisk(m.Identify(path), found)
	m.mu.Lock()
	for _, d := range m.byPath[Key(path)] {
		clean := !d.Dirty()
		d.Saved, d.OnDisk = found.Text, found.Exists
		if found.Exists {
			d.Format = found.Format
		}
		d.Behind = (d.Behind || ours && clean) && !(d.OnDisk && d.Text == d.Saved)
	}
	m.mu.Unlock()
	m.emit(e)
}

// change runs f on the mirror and tells the observers about d.
func (m *Mirror) change(kind EventKind, d *Document, f func()) {
	m.emitMu.Lock()
	defer m.emitMu.Unlock()
	m.mu.Lock()
	f()
	snap := m.snapshotOf(d)
	m.mu.Unlock()
	m.emit(Event{Kind: kind, Snapshot: snap})
}

// Watch waits for the buffer of path, which holds before, to hold want.
func (m *Mirror) Watch(path, before, want string) *Watcher {
	x := NewWatcher(before, want)
	k := Key(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[k] = append(m.watchers[k], x)
	return x
}

// Unwatch ends a Watch and gives what it saw.
func (m *Mirror) Unwatch(path string, x *Watcher) Watcher {
	k := Key(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[k] = slices.DeleteFunc(m.watchers[k], func(o *Watcher) bool { return o == x })
	if len(m.watchers[k]) == 0 {
		delete(m.watchers, k)
	}
	return *x
}

// Live is the state of an open document that is what the user sees and that the
// file is: not while the editor has yet to load what was written below it.
func (m *Mirror) Live(path string) (now Snapshot, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.docAt(path); d != nil && !d.Behind {
		return m.snapshotOf(d), true
	}
	return Snapshot{}, false
}

// IsVirtual tells whether path is the URI of an open document that is no file.
func (m *Mirror) IsVirtual(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.docs[path]
	return d != nil && d.Path == path
}

// Tell tells observers of what no document is part of.
func (m *Mirror) Tell(e Event) {
	m.emitMu.Lock()
	defer m.emitMu.Unlock()
	m.emit(e)
}

// Buffer is the state of an open document, Open false when it is closed.
func (m *Mirror) Buffer(path string) Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.docAt(path); d != nil {
		return m.snapshotOf(d)
	}
	return Snapshot{}
}

// Observe calls o after every change until cancel.
func (m *Mirror) Observe(o Observer) (cancel func()) {
	entry := &observer{o}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observers = append(slices.Clone(m.observers), entry)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.observers = slices.DeleteFunc(slices.Clone(m.observers), func(e *observer) bool { return e == entry })
	}
}

// emit tells the observers. emitMu is held, mu is not.
func (m *Mirror) emit(events ...Event) {
	m.mu.Lock()
	observers := m.observers
	m.mu.Unlock()
	for _, e := range events {
		for _, o := range observers {
			o.f(e)
		}
	}
}

// Identify completes a canonical path.
func (m *Mirror) Identify(path string) File {
	f := File{Path: path, URI: place.ToURI(path, place.Windows), Rel: path, Outside: true}
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.docAt(path); d != nil {
		f.URI = d.URI
	}
	if _, rel, ok := m.roots.Of(path); ok {
		f.Rel, f.Outside = rel, false
	}
	return f
}

// OfDisk is the state of a file on disk.
func OfDisk(id File, f disk.File) Snapshot {
	s := Snapshot{File: id, Exists: f.Exists, Text: f.Text, Format: f.Format}
	if f.Exists {
		if s.Hash = f.Hash; s.Hash == "" {
			s.Hash = Hash(f.Text)
		}
	}
	return s
}

// Hash is "sha256:" and the hex of a text in UTF-8.
func Hash(s string) string {
	h := sha256.New()
	var buf [8 << 10]byte // no second copy of a large text
	for len(s) > 0 {
		n := copy(buf[:], s)
		_, _ = h.Write(buf[:n])
		s = s[n:]
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
