package changes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"companion/changes/hunk"
	"companion/text"
)

func hashOf(f hunk.File) string {
	if !f.Exists {
		return ""
	}
	sum := sha256.Sum256([]byte(f.Text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// List gives the files that a thread changed, by path; those of one turn when
// turn is not "". It reads files that no editor has open.
func (s *Store) List(thread, turn string) ([]FileChange, error) {
	t, err := s.thread(thread)
	if err != nil {
		return nil, err
	}
	var out []FileChange
	for _, f := range s.filesOf(t) {
		c, ok, err := s.change(t, f, turn)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s *Store) filesOf(t *thread) []hunk.File {
	s.mu.Lock()
	out := make([]hunk.File, 0, len(t.files))
	for _, f := range t.files {
		out = append(out, f)
	}
	s.mu.Unlock()
	slices.SortFunc(out, func(a, b hunk.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (s *Store) change(t *thread, f hunk.File, turn string) (c FileChange, ok bool, err error) {
	snap, err := s.read(context.Background(), f.Path)
	if err != nil {
		return c, false, fmt.Errorf("%s: %w", f.Path, err)
	}
	if f.Aside != "" { // what is there is another file
		snap.Exists, snap.Text, snap.Version = false, "", nil
	}
	f = f.Seen(snap.Exists, snap.Text, hunk.Nobody)
	c = FileChange{Path: f.Path, URI: snap.URI, Status: Modified, Exists: f.Exists, Version: snap.Version, Hash: hashOf(f)}
	for _, l := range f.Layers {
		if turn != "" && l.Turn != turn {
			continue
		}
		switch {
		case l.Created:
			c.Status = Created
		case l.Deleted && c.Status != Created:
			c.Status = Deleted
		case l.RenameID != "" && c.Status == Modified:
			c.Status = Renamed
		}
		if l.RenameID != "" && c.From == "" {
			c.From = l.From
		}
	}
	c.BaseHash = hashOf(f.Before(turn))
	if turn == "" {
		c.Hunks = f.Hunks()
	} else {
		c.Hunks = f.HunksOf(turn)
	}
	for _, r := range f.Done {
		if turn == "" || r.Turn == turn {
			c.Hunks = append(c.Hunks, Hunk{ID: r.ID, Turn: r.Turn, Path: f.Path, OldRange: r.Old, NewRange: r.New, State: r.State})
		}
	}
	for i := range c.Hunks {
		c.Hunks[i].Thread = t.id
	}
	return c, len(c.Hunks) > 0, nil
}

// Content gives one text of a file that the thread changed: Current as it is
// now, Base without what is pending of the thread, or of one turn. A text that
// is not there is "". The error is ErrNotChanged when the thread knows no such
// file.
func (s *Store) Content(thread, path string, side Side, turn string) (string, error) {
	t, err := s.thread(thread)
	if err != nil {
		return "", err
	}
	f, known := s.file(t, path)
	if !known {
		return "", fmt.Errorf("%s: %w", path, ErrNotChanged)
	}
	snap, err := s.read(context.Background(), f.Path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Path, err)
	}
	f = f.Seen(snap.Exists, snap.Text, hunk.Nobody)
	switch side {
	case Current:
		return f.Text, nil
	case Base:
		return f.Before(turn).Text, nil
	}
	return "", fmt.Errorf("%q is no side of a change: %q or %q", side, Base, Current)
}

// Pending are the pending hunks of a file in its present text, of all threads
// that were loaded in this process. It waits for nothing and reads no disk.
func (s *Store) Pending(path string) []Hunk {
	key := keyOf(path)
	var out []Hunk
	for _, t := range s.byTime() {
		for _, h := range s.view(t, key) {
			if h.State == StatePending {
				out = append(out, h)
			}
		}
	}
	return out
}

// view are the hunks of a thread in the present text of a file, but those that
// are resolved.
func (s *Store) view(t *thread, key string) []Hunk {
	s.mu.Lock()
	f, known := t.files[key]
	now, v := s.now[key], t.views[key]
	s.mu.Unlock()
	if !known || len(f.Layers) == 0 {
		return nil
	}
	if v.hunks != nil && v.of == now {
		return v.hunks
	}
	v = view{now, f.Seen(now.exists, now.text, hunk.Nobody).Hunks()}
	for i := range v.hunks {
		v.hunks[i].Thread = t.id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.views != nil && same(t.files[key], f) {
		t.views[key] = v
	}
	return v.hunks
}

// same tells whether nothing was committed between two looks at a file.
func same(a, b hunk.File) bool {
	return a.Path == b.Path && len(a.Layers) == len(b.Layers) && len(a.Layers) > 0 && &a.Layers[0] == &b.Layers[0]
}

// PendingAt are those of Pending on lines that r touches.
func (s *Store) PendingAt(path string, r text.Range) []Hunk {
	return slices.DeleteFunc(s.Pending(path), func(h Hunk) bool {
		last := h.NewRange.End.Line
		if h.NewRange.End.Character == 0 && last > h.NewRange.Start.Line {
			last--
		}
		return r.End.Line < h.NewRange.Start.Line || last < r.Start.Line
	})
}

// byTime are the loaded threads, the last changed first.
func (s *Store) byTime() []*thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*thread
	for _, t := range s.threads {
		if t.files != nil {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *thread) int { return b.at.Compare(a.at) })
	return out
}

// Newest is the thread that made the newest change of those that have something
// pending, "" when there is none. When no loaded thread has, it looks into the
// folder.
func (s *Store) Newest() string {
	for _, t := range s.byTime() {
		if s.pending(t) {
			return t.id
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return ""
	}
	type found struct {
		id string
		at time.Time
	}
	var list []found
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(s.dir, e.Name(), "journal.jsonl")); err == nil {
			list = append(list, found{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return b.at.Compare(a.at) })
	for _, f := range list {
		if t, err := s.thread(f.id); err == nil && s.pending(t) {
			return t.id
		}
	}
	return ""
}

func (s *Store) pending(t *thread) bool {
	for _, f := range s.filesOf(t) {
		if len(f.Layers) > 0 && (f.Aside != "" || len(s.view(t, keyOf(f.Path))) > 0) {
			return true
		}
	}
	return false
}
