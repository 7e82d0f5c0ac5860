// Package seen remembers which state of a file each thread has seen.
//
// Never: look at files.
//
// # Concurrency
//
// Safe for concurrent use.
package seen

import (
	"maps"
	"slices"
	"sync"
)

// Log is what threads have seen; the zero value is empty.
type Log struct {
	mu sync.Mutex
	by map[string]map[string]state // thread, then key of the path
	n  int                         // Notes so far
}

type state struct {
	path, hash string
	nth        int
}

// Note remembers that thread has seen path, known by key, in the state hash.
func (l *Log) Note(thread, path, key, hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil {
		l.by = map[string]map[string]state{}
	}
	if l.by[thread] == nil {
		l.by[thread] = map[string]state{}
	}
	l.n++
	l.by[thread][key] = state{path, hash, l.n}
}

// By are the paths that thread has seen, the latest first.
func (l *Log) By(thread string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.SortedFunc(maps.Values(l.by[thread]), func(a, b state) int { return b.nth - a.nth })
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.path
	}
	return out
}

// Last is the hash that Note got last for a key.
func (l *Log) Last(thread, key string) (hash string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.by[thread][key]
	return s.hash, ok
}

// Forget drops what thread has seen.
func (l *Log) Forget(thread string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.by, thread)
}
