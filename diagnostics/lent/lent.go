package lent

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"companion/diagnostics/delta"
	"companion/tools"
	"companion/workspace"
)

// Server is Server of what the editor told.
const Server = "editor"

// File is one file that the editor is asked about.
type File struct {
	Path, URI string
	Version   *int32 // that counts; nil = not open in the editor
}

// Query is what the editor is asked.
type Query struct {
	Files  []File
	Others bool // other files that it knows problems of, too
	// Settle is how long it must have been quiet, Timeout when the editor must
	// answer with what it has; 0 = what is known now.
	Settle, Timeout time.Duration
}

// How sure the editor is of an Item (docs/protocol.md, diagnostics/await).
const (
	Fresh   = "fresh"
	Settled = "settled"
	Stale   = "stale"
	Timeout = "timeout"
)

// Item is what it says of one file.
type Item struct {
	Path        string // canonical
	Version     *int32
	Freshness   string
	Sources     []string
	Diagnostics []tools.Diagnostic // utf-16
	Wrong       string             // why its places cannot be believed, "" = they can
}

// ErrNotOffered: this editor takes no such requests, at least now: clients of
// ours say so as long as no language server of theirs told anything.
var ErrNotOffered = errors.New("the editor does not offer diagnostics")

// Ask puts a query to the editor. It withdraws it when ctx ends.
type Ask func(ctx context.Context, q Query) ([]Item, error)

// Answer is what is believed of one file.
type Answer struct {
	Path string
	// Status is Complete, Unconfirmed, Pending, or NoServer when the editor
	// does not seem to have one for such files.
	Status tools.Status
	Items  []tools.Diagnostic
	Text   string // that Items are of
	Base   delta.Known
	Name   string // which servers, how sure, how long: for the model
}

// Known says whether Items are of the present text.
func (a Answer) Known() bool { return a.Status == tools.Complete || a.Status == tools.Unconfirmed }

// grace is what the way to the editor and back may take beyond Query.Timeout.
const grace = 250 * time.Millisecond

// kept is how many lists of a file are kept: those around the edits of a step.
const kept = 4

// Bounds for an editor that has not answered in time lately, and for kinds of
// files of which it never told anything.
const (
	spent     = 2
	impatient = 300 * time.Millisecond
	// rest is how long an editor is not asked that has no language server for
	// anything: one may start later.
	rest = 20 * time.Second
)

// Source is the editor's own language servers.
type Source struct {
	ask Ask
	ws  *workspace.Workspace

	mu     sync.Mutex
	off    time.Time                // until when it is not asked: it had nobody to ask
	silent int                      // answers in a row that did not come in time
	whole  bool                     // other files were told of at least once
	lists  map[string][]delta.Known // by path, what was believed, the last last
	seen   map[string]int           // by extension: -n = told nothing n times, 1 = has servers
}

// New gives the source that ask leads to; nil = none.
func New(ws *workspace.Workspace, ask Ask) *Source {
	return &Source{ask: ask, ws: ws, lists: map[string][]delta.Known{}, seen: map[string]int{}}
}

// Offered says whether there is anything to ask.
func (s *Source) Offered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ask != nil && time.Now().After(s.off)
}

// Spent says that the editor has not answered in time lately.
func (s *Source) Spent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silent >= spent
}

// Want is how Await asks.
type Want struct {
	Paths  []string
	Others bool
	Bound  time.Duration // 0 = what is known now
	// Served says whether files of this name are known to have a language server.
	Served func(path string) bool
}

// settle is how long the editor's servers must have been quiet.
const settle = 150 * time.Millisecond

// Await asks about the present texts and waits for at most Bound and the way
// there and back. A file that changed meanwhile is asked about once more. others
// are files that were not asked about; nothing comes when ctx ended.
func (s *Source) Await(ctx context.Context, w Want) (own, others []Answer) {
	if !s.Offered() {
		return nil, nil
	}
	start := time.Now()
	end := start.Add(s.patience(w))
	open := w.Paths
	for try := 0; ; try++ {
		asked, texts := s.files(ctx, open)
		q := Query{Files: asked, Others: w.Others && try == 0, Settle: settle, Timeout: max(0, time.Until(end))}
		if w.Bound == 0 {
			q.Settle, q.Timeout = 0, 0
		}
		cctx, cancel := context.WithTimeout(ctx, q.Timeout+grace)
		items, err := s.ask(cctx, q)
		late := cctx.Err() != nil && ctx.Err() == nil
		cancel()
		if ctx.Err() != nil {
			return nil, nil
		}
		s.note(late, err)
		r := round{s: s, w: w, texts: texts, took: time.Since(start)}
		got, rest, changed := r.judge(ctx, asked, items, late, err)
		own, others = append(own, got...), append(others, rest...)
		open = changed
		if len(open) == 0 {
			return own, others
		}
		if w.Bound == 0 {
			return own, others // what is known of a new text is another question
		}
		if try == 1 || !time.Now().Before(end) {
			for _, path := range open {
				own = append(own, r.pending(path, "the file changed meanwhile"))
			}
			return own, others
		}
	}
}

// patience is the bound, shortened for an editor that seems to have hung.
func (s *Source) patience(w Want) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	dull := len(w.Paths) > 0
	for _, path := range w.Paths {
		dull = dull && s.seen[filepath.Ext(path)] <= -spent
	}
	if s.silent >= spent || dull {
		return min(w.Bound, impatient)
	}
	return w.Bound
}

func (s *Source) note(late bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case late:
		s.silent++
	case errors.Is(err, ErrNotOffered):
		s.off = time.Now().Add(rest)
	case err == nil:
		s.silent = 0
	}
}

// files reads what is asked about; what cannot be read is left out.
func (s *Source) files(ctx context.Context, paths []string) (asked []File, texts map[string]string) {
	texts = map[string]string{}
	for _, path := range paths {
		snap, err := s.ws.Read(ctx, path)
		if err != nil || !snap.Exists {
			continue
		}
		asked = append(asked, File{Path: path, URI: snap.URI, Version: snap.Version})
		texts[path] = snap.Text
	}
	return asked, texts
}
