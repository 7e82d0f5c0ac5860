package workspace

import "sync"

// readLog remembers which state of a file each thread has seen.
type readLog struct {
	mu sync.Mutex
	by map[string]map[string]string // thread, then key of the path, to hash
}

// NoteRead remembers that thread has seen path in the state hash.
func (w *Workspace) NoteRead(thread, path, hash string) {
	key := w.readKey(path)
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	if w.reads.by == nil {
		w.reads.by = map[string]map[string]string{}
	}
	if w.reads.by[thread] == nil {
		w.reads.by[thread] = map[string]string{}
	}
	w.reads.by[thread][key] = hash
}

// LastRead is the hash that NoteRead got last for any spelling of path.
func (w *Workspace) LastRead(thread, path string) (hash string, ok bool) {
	key := w.readKey(path)
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	hash, ok = w.reads.by[thread][key]
	return hash, ok
}

// ForgetThread drops what thread has seen.
func (w *Workspace) ForgetThread(thread string) {
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	delete(w.reads.by, thread)
}

func (w *Workspace) readKey(path string) string {
	if f, err := w.Resolve(path); err == nil {
		return keyOf(f.Path)
	}
	return path
}
