package workspace

import "companion/workspace/mirror"

// NoteRead remembers that thread has seen path in the state hash.
func (w *Workspace) NoteRead(thread, path, hash string) {
	canonical, key := w.readKey(path)
	w.reads.Note(thread, canonical, key, hash)
}

// ReadBy are the canonical paths that thread has seen, the latest first.
func (w *Workspace) ReadBy(thread string) []string { return w.reads.By(thread) }

// LastRead is the hash that NoteRead got last for any spelling of path.
func (w *Workspace) LastRead(thread, path string) (hash string, ok bool) {
	_, key := w.readKey(path)
	return w.reads.Last(thread, key)
}

// ForgetThread drops what thread has seen.
func (w *Workspace) ForgetThread(thread string) { w.reads.Forget(thread) }

func (w *Workspace) readKey(path string) (canonical, key string) {
	if f, err := w.Resolve(path); err == nil {
		return f.Path, mirror.Key(f.Path)
	}
	return path, path
}
