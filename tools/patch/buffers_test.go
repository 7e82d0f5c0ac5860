package patch

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"companion/text"
	"companion/workspace"
)

// editor has buffers, and applies edits to them unless it is told to refuse.
type editor struct {
	ws     *workspace.Workspace
	refuse string // a part of the URI

	mu      sync.Mutex
	buffers map[string]string // by URI
	version int32
}

func (e *editor) ApplyEdit(_ context.Context, edit workspace.FileEdit) (workspace.EditAnswer, error) {
	e.mu.Lock()
	if e.refuse != "" && strings.Contains(edit.URI, e.refuse) {
		e.mu.Unlock()
		return workspace.EditAnswer{Reason: "no"}, nil
	}
	after, err := text.Apply(e.buffers[edit.URI], edit.Edits)
	e.mu.Unlock()
	if err != nil {
		return workspace.EditAnswer{Reason: err.Error()}, nil
	}
	return workspace.EditAnswer{Applied: true}, e.set(edit.URI, after)
}

// set is a change of a buffer, told.
func (e *editor) set(uri, s string) error {
	e.mu.Lock()
	e.buffers[uri] = s
	e.version++
	v := e.version
	e.mu.Unlock()
	return e.ws.DidChange(uri, v, []workspace.ContentChange{{Text: s}}, text.UTF16)
}

// open shows a file in the editor, with text that may not be saved.
func (b *bench) open(e *editor, name, shown string) (uri string) {
	b.t.Helper()
	f, err := b.ws.Resolve(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	e.buffers[f.URI] = shown
	b.ws.DidOpen(f.URI, "plaintext", 1, shown)
	return f.URI
}

func newEditor(b *bench) *editor {
	e := &editor{ws: b.ws, buffers: map[string]string{}, version: 1}
	b.ws.SetEditor(e)
	return e
}

const bothFiles = "*** Begin Patch\n*** Update File: closed\n@@\n-1\n+one\n*** Update File: shown\n@@\n-a\n+A\n*** End Patch"

func TestUnsavedTextIsPatchedAndStays(t *testing.T) {
	b := newBench(t, map[string]string{"closed": "1\n", "shown": "a\nb\nc\n"})
	e := newEditor(b)
	uri := b.open(e, "shown", "a\nb\nc typed\n")
	r, err := b.apply(bothFiles)
	if err != nil || !strings.Contains(r.Text, "not saved yet") {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := e.buffers[uri]; got != "A\nb\nc typed\n" {
		t.Errorf("the buffer holds %q", got)
	}
	if got := contents(t, b.dir); got["shown"] != "a\nb\nc\n" || got["closed"] != "one\n" {
		t.Errorf("%q", got)
	}
}

func TestTypingWhileThePatchWaitsIsMerged(t *testing.T) {
	b := newBench(t, map[string]string{"closed": "1\n", "shown": "a\nb\nc\n"})
	e := newEditor(b)
	uri := b.open(e, "shown", "a\nb\nc\n")
	action, err := b.prepare(bothFiles)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.set(uri, "a\nb\nc typed\n"); err != nil {
		t.Fatal(err)
	}
	r, err := action.Run(context.Background(), nil)
	if err != nil || !strings.Contains(r.Text, "both changes are in it") || e.buffers[uri] != "A\nb\nc typed\n" {
		t.Errorf("%+v, %v, %q", r, err, e.buffers[uri])
	}
}

// The whole patch is refused when one buffer cannot take its part, and what was
// changed before is taken back, on disk and in buffers.
func TestABufferThatCannotBePatchedStopsAll(t *testing.T) {
	for name, spoil := range map[string]func(b *bench, e *editor, uri string){
		"the same lines typed": func(b *bench, e *editor, uri string) {
			if err := e.set(uri, "a typed\nb\nc\n"); err != nil {
				b.t.Fatal(err)
			}
		},
		"refused": func(_ *bench, e *editor, _ string) { e.refuse = "shown" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"closed": "1\n", "first": "x\n", "shown": "a\nb\nc\n"})
			e := newEditor(b)
			first, uri := b.open(e, "first", "x typed\n"), b.open(e, "shown", "a\nb\nc\n")
			p := strings.Replace(bothFiles, "*** Update File: shown", "*** Update File: first\n@@\n-x typed\n+y\n*** Add File: new/file\n+n\n*** Update File: shown", 1)
			action, err := b.prepare(p)
			if err != nil {
				t.Fatal(err)
			}
			before := tree(t, b.dir)
			spoil(b, e, uri)
			shown := e.buffers[uri]
			if r, err := action.Run(context.Background(), nil); err == nil {
				t.Fatalf("%+v", r)
			}
			if e.buffers[first] != "x typed\n" || e.buffers[uri] != shown {
				t.Errorf("buffers %q", e.buffers)
			}
			if after := tree(t, b.dir); len(after) != len(before) || after["closed"] != "1\n" {
				t.Errorf("%q", after)
			}
		})
	}
}
