package changes

import "slices"

// hear makes p the present text of a file, and tells listeners of the threads
// of which other hunks are pending now. It waits for no Record, Keep or Undo.
func (s *Store) hear(key string, p present) {
	var with []*thread
	var before [][]string
	for _, t := range s.byTime() {
		if s.knows(t, key) {
			with, before = append(with, t), append(before, s.pendingIDs(t, key))
		}
	}
	s.mu.Lock()
	s.now[key] = p
	s.mu.Unlock()
	for i, t := range with {
		if slices.Equal(before[i], s.pendingIDs(t, key)) {
			continue
		}
		s.mu.Lock()
		path, busy := t.files[key].Path, t.busy == key
		t.late = t.late || busy
		s.mu.Unlock()
		if !busy && path != "" {
			s.tell(t.id, []string{path})
		}
	}
}

// knows tells whether a thread has layers of a file.
func (s *Store) knows(t *thread, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(t.files[key].Layers) > 0
}

// pendingIDs are the ids of a thread's pending hunks of a file.
func (s *Store) pendingIDs(t *thread, key string) []string {
	var out []string
	for _, h := range s.view(t, key) {
		if h.State == StatePending {
			out = append(out, h.ID)
		}
	}
	slices.Sort(out)
	return out
}

// work runs f, which resolves hunks of a file: what is pending there is told
// after it, once. It returns whether that changed meanwhile.
func (s *Store) work(t *thread, key string, f func()) (changed bool) {
	s.mu.Lock()
	t.busy, t.late = key, false
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.busy, changed = "", t.late
	}()
	f()
	return
}
