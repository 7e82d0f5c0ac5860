package workspace

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"companion/text"
)

// fakeEditor holds buffers of its own and tells the workspace of each change,
// as an editor does. Its hooks make it a bad one.
type fakeEditor struct {
	t   *testing.T
	w   *Workspace
	enc text.Encoding

	// before is called when a request came and nothing is done yet; a true
	// handled ends the request with the answer.
	before func(e FileEdit) (a EditAnswer, handled bool)
	// after is called when the edit is in the buffer and told.
	after func(uri string)
	// piecewise sends one didChange for each edit; late sends them after the answer.
	piecewise bool
	late      func(func())

	mu      sync.Mutex
	buffers map[string]*fakeBuffer
	asked   []FileEdit
}

type fakeBuffer struct {
	mu      sync.Mutex // orders changes of the buffer with their didChange
	version int32
	text    string
}

func newEditor(t *testing.T, w *Workspace) *fakeEditor {
	ed := &fakeEditor{t: t, w: w, enc: text.UTF16, buffers: map[string]*fakeBuffer{}}
	w.SetEditor(ed)
	return ed
}

func (ed *fakeEditor) open(path, content string) (uri string) {
	ed.t.Helper()
	f, err := ed.w.Resolve(path)
	if err != nil {
		ed.t.Fatal(err)
	}
	ed.mu.Lock()
	ed.buffers[f.URI] = &fakeBuffer{version: 1, text: content}
	ed.mu.Unlock()
	ed.w.DidOpen(f.URI, "fake", 1, content)
	return f.URI
}

func (ed *fakeEditor) buffer(uri string) *fakeBuffer {
	ed.mu.Lock()
	defer ed.mu.Unlock()
	return ed.buffers[uri]
}

func (ed *fakeEditor) text(uri string) string {
	b := ed.buffer(uri)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text
}

func (ed *fakeEditor) requests() []FileEdit {
	ed.mu.Lock()
	defer ed.mu.Unlock()
	return slices.Clone(ed.asked)
}

// typeText is the user's own edit.
func (ed *fakeEditor) typeText(uri string, off int, s string) {
	b := ed.buffer(uri)
	b.mu.Lock()
	defer b.mu.Unlock()
	ed.change(uri, b, []text.Edit{{Start: off, End: off, New: s}})
}

// change edits a buffer, whose mu is held, and returns what tells of it.
func (ed *fakeEditor) edit(uri string, b *fakeBuffer, edits []text.Edit) (tell func()) {
	old := text.NewIndex(b.text)
	ranges := text.ByRange(old, edits, ed.enc)
	after, err := text.Apply(b.text, edits)
	if err != nil {
		ed.t.Error(err)
		return func() {}
	}
	b.text = after
	slices.Reverse(ranges) // each change refers to the text that the one before left
	var calls []func()
	var changes []ContentChange
	for _, r := range ranges {
		c := ContentChange{Range: &r.Range, Text: r.New}
		if ed.piecewise {
			b.version++
			v := b.version
			calls = append(calls, func() { ed.didChange(uri, v, []ContentChange{c}) })
			continue
		}
		changes = append(changes, c)
	}
	if !ed.piecewise {
		b.version++
		v := b.version
		calls = append(calls, func() { ed.didChange(uri, v, changes) })
	}
	return func() {
		for _, c := range calls {
			c()
		}
	}
}

func (ed *fakeEditor) change(uri string, b *fakeBuffer, edits []text.Edit) {
	ed.edit(uri, b, edits)()
}

func (ed *fakeEditor) didChange(uri string, v int32, changes []ContentChange) {
	if err := ed.w.DidChange(uri, v, changes, ed.enc); err != nil {
		ed.t.Errorf("didChange: %v", err)
	}
}

func (ed *fakeEditor) ApplyEdit(_ context.Context, e FileEdit) (EditAnswer, error) {
	ed.mu.Lock()
	ed.asked = append(ed.asked, e)
	ed.mu.Unlock()
	if ed.before != nil {
		if a, handled := ed.before(e); handled {
			return a, nil
		}
	}
	b := ed.buffer(e.URI)
	if b == nil {
		return EditAnswer{Reason: "no such buffer"}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Version == nil || *e.Version != b.version {
		return EditAnswer{Reason: fmt.Sprintf("the buffer is at version %d", b.version)}, nil
	}
	if b.text != e.Before {
		ed.t.Errorf("the edit was made for %q, the buffer of that version holds %q", e.Before, b.text)
	}
	tell := ed.edit(e.URI, b, e.Edits)
	if ed.late != nil {
		ed.late(tell)
		return EditAnswer{Applied: true}, nil
	}
	tell()
	if ed.after != nil {
		ed.after(e.URI)
	}
	return EditAnswer{Applied: true}, nil
}
