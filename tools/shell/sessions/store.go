package sessions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the sessions of one thread (tools.md, exec_command).
const (
	Most      = 64 // running and ended ones
	Protected = 8  // the newest are not taken away for room
)

// Store is all sessions.
type Store struct {
	dir string // of files with whole outputs

	mu      sync.Mutex
	threads map[string]*thread
	running map[*Session]bool // kept or not
	closed  bool
	serial  int
}

// thread is what one thread has kept, oldest first.
type thread struct {
	list []*Session
	last int // the last id that was given
}

// NewStore keeps whole outputs in files in dir; "" = nowhere.
func NewStore(dir string) *Store {
	return &Store{dir: dir, threads: map[string]*thread{}, running: map[*Session]bool{}}
}

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("companion is ending")

// Start runs a command. It is no session that others find until Keep.
func (st *Store) Start(o Options) (*Session, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return nil, ErrClosed
	}
	st.sweep()
	st.serial++
	s, err := start(o, st.dir, fmt.Sprintf("session-%s-%d", fileSafe(o.Thread), st.serial))
	if err != nil {
		return nil, err
	}
	st.running[s] = true
	return s, nil
}

// Keep makes a session of a command and gives it its number, from 1 in its
// thread. Where the thread has too many, the oldest that has ended goes, else
// the oldest that is not Protected, which is given back and is being stopped.
func (st *Store) Keep(s *Session) (id int, gone *Session) {
	st.mu.Lock()
	defer st.mu.Unlock()
	t := st.threads[s.Thread]
	if t == nil {
		t = &thread{}
		st.threads[s.Thread] = t
	}
	t.last++
	s.id = t.last
	if len(t.list) >= Most {
		gone = t.prune()
		if gone.Ended() {
			gone = nil
		} else {
			gone.Stop(Room)
		}
	}
	t.list = append(t.list, s)
	if st.closed {
		s.kill(Closed)
	}
	return s.id, gone
}

// sweep forgets what has ended, which nobody needs to kill; the caller holds mu.
func (st *Store) sweep() {
	maps.DeleteFunc(st.running, func(s *Session, _ bool) bool { return s.Ended() })
}

func (t *thread) prune() *Session {
	i := slices.IndexFunc(t.list[:len(t.list)-Protected+1], (*Session).Ended)
	i = max(0, i)
	s := t.list[i]
	t.list = slices.Delete(t.list, i, i+1)
	return s
}

// ID is the session's number in its thread.
func (st *Store) ID(s *Session) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return s.id
}

// Get gives a thread's session by its number.
func (st *Store) Get(threadID string, id int) (s *Session, ok bool) {
	for _, s := range st.List(threadID) {
		if s.id == id { // set once, before it was listed
			return s, true
		}
	}
	return nil, false
}

// List gives a thread's sessions, oldest first.
func (st *Store) List(threadID string) []*Session {
	st.mu.Lock()
	defer st.mu.Unlock()
	t := st.threads[threadID]
	if t == nil {
		return nil
	}
	return slices.Clone(t.list)
}

// CloseThread kills what a thread has running and forgets its sessions. Their
// numbers are not given again.
func (st *Store) CloseThread(threadID string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if t := st.threads[threadID]; t != nil {
		t.list = nil
	}
	for s := range st.running {
		if s.Thread == threadID {
			s.kill(Closed)
			delete(st.running, s)
		}
	}
}

// closeTime is how long Close waits for the system to end what it killed.
const closeTime = time.Second

// Close kills everything, and waits a moment until it has ended; what is started
// later is refused.
func (st *Store) Close() {
	st.mu.Lock()
	st.closed = true
	running := slices.Collect(maps.Keys(st.running))
	for _, s := range running {
		s.kill(Closed)
	}
	st.mu.Unlock()
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	for _, s := range running {
		select {
		case <-s.Done():
		case <-timer.C:
			return
		}
	}
}

func fileSafe(id string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	return safe[:min(len(safe), 40)]
}
