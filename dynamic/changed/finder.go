package changed

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"companion/tools"
	"companion/workspace"
)

const (
	// mostFiles and mostText bound what is looked at before and after a call:
	// the open buffers and the files that the thread read last.
	mostFiles = 256
	mostText  = 16 << 20 // bytes of texts kept, so that they are read once
	// lateChange is how long after an answer the editor's didChange of a file
	// that it names may take. Editors send it first; a reload from disk follows.
	lateChange = 500 * time.Millisecond
	// tick is more than file systems' clocks take from one time to the next
	// (Linux: 10 ms at 100 Hz; FAT's 2 s is left out).
	tick = 50 * time.Millisecond
)

// Finder looks for what calls changed. Texts of files that no editor has open
// are kept, by path, while their time and size stay.
type Finder struct {
	ws *workspace.Workspace

	mu   sync.Mutex
	kept map[string]kept
	size int
}

type kept struct {
	stamp
	fresh bool
	file  workspace.File
	text  string
}

// stamp is what tells a file on disk from what it was.
type stamp struct {
	exists bool
	mod    time.Time
	size   int64
}

// state is one file before a call.
type state struct {
	stamp
	file     workspace.File
	open     bool
	fresh    bool // so lately written that another write may leave the same stamp
	text     string
	readable bool // text is known
}

// New gives a Finder of what it knows nothing yet.
func New(ws *workspace.Workspace) *Finder { return &Finder{ws: ws, kept: map[string]kept{}} }

// stampOf is the zero stamp for a document that is no file, too.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return stamp{}
	}
	return stamp{true, info.ModTime(), info.Size()}
}

// Before is what was known of files before a call; nil where a call is believed
// to change nothing but what it says.
type Before map[string]state

// Before takes the states of the open buffers and of the files that a thread
// read.
func (f *Finder) Before(ctx context.Context, thread string) Before {
	out := Before{}
	for _, d := range f.ws.Documents() {
		out[d.Path] = state{stamp: stampOf(d.Path), file: d.File, open: true, text: d.Text, readable: true}
	}
	for _, path := range f.ws.ReadBy(thread) {
		if len(out) >= mostFiles {
			break
		}
		if _, have := out[path]; have {
			continue
		}
		if s, ok := f.onDisk(ctx, path); ok {
			out[path] = s
		}
	}
	return out
}

// onDisk is the state of a file that no editor has open, named and read again
// only when its stamp moved; ok is false outside the roots.
func (f *Finder) onDisk(ctx context.Context, path string) (s state, ok bool) {
	now := stampOf(path)
	f.mu.Lock()
	k, have := f.kept[path]
	f.mu.Unlock()
	if have && k.stamp == now && !k.fresh {
		return state{stamp: now, file: k.file, text: k.text, readable: true}, true
	}
	file, err := f.ws.Resolve(path)
	if err != nil || file.Outside {
		return s, false
	}
	s = state{stamp: now, file: file, fresh: now.exists && time.Since(now.mod) < tick}
	if now.size > mostText/4 {
		return s, true
	}
	if now.exists {
		snap, err := f.ws.Read(ctx, path)
		if err != nil || !snap.Exists || snap.Open {
			return s, true
		}
		s.text = snap.Text
	}
	s.readable = true
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size += len(s.text) - len(f.kept[path].text); f.size > mostText || len(f.kept) > 8*mostFiles {
		f.kept, f.size = map[string]kept{}, len(s.text)
	}
	f.kept[path] = kept{now, s.fresh, file, s.text}
	return s, true
}

// found is what a call did to files.
type found struct {
	changed []tools.Change
	unsaid  []string // of changed: what the editor did not name
	blind   []string // changed, but what they held before is not known
	others  []string // changed meanwhile, perhaps by another hand
	outside []string
}

// After finds what a call changed since before, named being the URIs that it
// says itself, and gives a sentence for the model about what is remarkable, ""
// when nothing is. sole tells whether the call held a path for itself: then a
// change of it is its doing, whether it said so or not.
func (f *Finder) After(ctx context.Context, before Before, named []string, sole func(path string) bool) (changes []tools.Change, note string) {
	files, bad := f.named(named)
	f.settle(files, before)
	got := f.compare(ctx, before, files, sole)
	var notes []string
	say := func(format string, paths []string) {
		const most = 20
		switch {
		case len(paths) > most:
			notes = append(notes, fmt.Sprintf(format, fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)))
		case len(paths) > 0:
			notes = append(notes, fmt.Sprintf(format, strings.Join(paths, ", ")))
		}
	}
	say("It also changed, without saying so: %s.", got.unsaid)
	say("What was there before is not known, so this cannot be taken back: %s.", got.blind)
	say("Changed meanwhile, perhaps by another hand: %s.", got.others)
	say("It says that it changed what lies outside the workspace: %s.", got.outside)
	say("It says that it changed what names no file: %s.", bad)
	return got.changed, strings.Join(notes, " ")
}

// named resolves the URIs that the editor gave.
func (f *Finder) named(uris []string) (out []workspace.File, bad []string) {
	seen := map[string]bool{}
	for _, uri := range uris {
		file, err := f.ws.ResolveURI(uri)
		if err != nil {
			bad = append(bad, fmt.Sprintf("%.200q", uri))
			continue
		}
		if !seen[file.Path] {
			seen[file.Path] = true
			out = append(out, file)
		}
	}
	return out, bad
}

// settle waits until the buffers of the named files, as far as they are open,
// hold something else than before.
func (f *Finder) settle(named []workspace.File, before Before) {
	signal := make(chan struct{}, 1)
	cancel := f.ws.Observe(func(workspace.Event) {
		select {
		case signal <- struct{}{}:
		default:
		}
	})
	defer cancel()
	timer := time.NewTimer(lateChange)
	defer timer.Stop()
	for {
		late := slices.ContainsFunc(named, func(file workspace.File) bool {
			was, known := before[file.Path]
			d, open := f.ws.Document(file.URI)
			return known && was.open && open && d.Text == was.text
		})
		if !late {
			return
		}
		select {
		case <-signal:
		case <-timer.C:
			return
		}
	}
}

// compare says what became of the files; sole tells whether the call held one
// for itself, so that a change of it is its doing.
func (f *Finder) compare(ctx context.Context, before Before, named []workspace.File, sole func(path string) bool) found {
	var got found
	open := map[string]workspace.Snapshot{}
	for _, d := range f.ws.Documents() {
		open[d.Path] = d
	}
	said := map[string]bool{}
	for _, file := range named {
		said[file.Path] = true
		was, known := before[file.Path]
		if file.Outside && !known {
			got.outside = append(got.outside, file.Path)
			continue
		}
		if !known {
			f.blind(ctx, file, &got)
		} else if c, ok := f.changeOf(ctx, was, open); ok {
			got.changed = append(got.changed, c)
		}
	}
	paths := make([]string, 0, len(before))
	for path := range before {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if said[path] {
			continue
		}
		was := before[path]
		c, ok := f.changeOf(ctx, was, open)
		switch {
		case !ok:
		case sole(path):
			got.changed = append(got.changed, c)
			got.unsaid = append(got.unsaid, was.file.Rel)
		default:
			got.others = append(got.others, was.file.Rel)
		}
	}
	return got
}

// blind adds a file of which nothing was known before: its change goes from
// what is there to what is there, so that diagnostics hear of it and nothing is
// taken back.
func (f *Finder) blind(ctx context.Context, file workspace.File, got *found) {
	f.ws.DiskChanged(file.Path)
	got.blind = append(got.blind, file.Rel)
	now, err := f.ws.Read(ctx, file.Path)
	if err == nil && now.Exists {
		got.changed = append(got.changed, tools.Change{Path: file.Path, Before: now.Text, After: now.Text, Version: now.Version})
	}
}

// changeOf compares a file with what it was, open being the buffers by path, and
// tells the workspace of a change on disk.
func (f *Finder) changeOf(ctx context.Context, was state, open map[string]workspace.Snapshot) (tools.Change, bool) {
	moved := stampOf(was.file.Path) != was.stamp
	if moved {
		f.ws.DiskChanged(was.file.Path)
	}
	now, isOpen := open[was.file.Path]
	if !isOpen {
		if !moved && !was.fresh {
			return tools.Change{}, false // also closed without saving: nothing on disk changed
		}
		var err error
		if now, err = f.ws.Read(ctx, was.file.Path); err != nil {
			return tools.Change{}, false
		}
	}
	existed := was.exists || was.open
	if !was.readable || now.Exists == existed && now.Text == was.text {
		return tools.Change{}, false
	}
	return tools.Change{
		Path: was.file.Path, Before: was.text, After: now.Text, Version: now.Version,
		Created: !existed, Deleted: !now.Exists,
	}, true
}
