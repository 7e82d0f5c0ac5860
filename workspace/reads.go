package workspace

import (
	"maps"
	"slices"
	"sync"

	"companion/workspace/mirror"
)

// readLog remembers which state of a file each thread has seen.
type readLog struct {
	mu sync.Mutex
	by map[string]map[string]seen // thread, then key of the path
	n  int                        // NoteReads so far
}

type seen struct {
	path, hash string
	nth        int
}

// NoteRead remembers that thread has seen path in the state hash.
func (w *Workspace) NoteRead(thread, path, hash string) {
	canonical, key := w.readKey(path)
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	if w.reads.by == nil {
		w.reads.by = map[string]map[string]seen{}
	}
	if w.reads.by[thread] == nil {
		w.reads.by[thread] = map[string]seen{}
	}
	w.reads.n++
	w.reads.by[thread][key] = seen{canonical, hash, w.reads.n}
}

// ReadBy are the canonical paths that thread has seen, the latest first.
func (w *Workspace) ReadBy(thread string) []string {
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	all := slices.SortedFunc(maps.Values(w.reads.by[thread]), func(a, b seen) int { return b.nth - a.nth })
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.path
	}
	return out
}

// LastRead is the hash that NoteRead got last for any spelling of path.
func (w *Workspace) LastRead(thread, path string) (hash string, ok bool) {
	_, key := w.readKey(path)
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	s, ok := w.reads.by[thread][key]
	return s.hash, ok
}

// ForgetThread drops what thread has seen.
func (w *Workspace) ForgetThread(thread string) {
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	delete(w.reads.by, thread)
}

func (w *Workspace) readKey(path string) (canonical, key string) {
	if f, err := w.Resolve(path); err == nil {
		return f.Path, mirror.Key(f.Path)
	}
	return path, path
}
