package openset

import (
	"errors"
	"sync"
)

// Errors of a Set.
var (
	ErrClosed = errors.New("the set is closed")
	ErrInUse  = errors.New("in use")
)

// Set is what is open, by id. The zero value is empty.
type Set[T any] struct {
	mu     sync.Mutex
	open   map[string]T
	busy   map[string]chan struct{} // ids that are being opened or closed
	closed bool
}

// claim waits until nobody opens or closes the id and takes that right. s.mu is
// held, here and on return.
func (s *Set[T]) claim(id string) error {
	for !s.closed {
		wait, ok := s.busy[id]
		if !ok {
			if s.busy == nil {
				s.busy, s.open = map[string]chan struct{}{}, map[string]T{}
			}
			s.busy[id] = make(chan struct{})
			return nil
		}
		s.mu.Unlock()
		<-wait
		s.mu.Lock()
	}
	return ErrClosed
}

func (s *Set[T]) disclaim(id string) {
	close(s.busy[id])
	delete(s.busy, id)
}

// Get gives what is open.
func (s *Set[T]) Get(id string) (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok = s.open[id]
	return v, ok
}

// Open gives what is open under id, or else loads it. When the set was closed
// meanwhile, drop gets what was loaded and the error is ErrClosed.
func (s *Set[T]) Open(id string, load func() (T, error), drop func(T)) (v T, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.claim(id); err != nil {
		return v, err
	}
	defer s.disclaim(id)
	if v, ok := s.open[id]; ok {
		return v, nil
	}
	s.mu.Unlock()
	loaded, err := load()
	s.mu.Lock()
	if err == nil && s.closed {
		s.mu.Unlock()
		drop(loaded)
		s.mu.Lock()
		err = ErrClosed
	}
	if err != nil {
		return v, err
	}
	s.open[id] = loaded
	return loaded, nil
}

// Shut takes id out of the set, if leave lets it go, and does then before
// anyone can open it again; was tells whether it was open. ErrInUse where leave
// says no.
func (s *Set[T]) Shut(id string, leave func(T) bool, then func(v T, was bool) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.claim(id); err != nil {
		return err
	}
	defer s.disclaim(id)
	v, was := s.open[id]
	if was && !leave(v) {
		return ErrInUse
	}
	delete(s.open, id)
	s.mu.Unlock()
	defer s.mu.Lock()
	return then(v, was)
}

// Closed lets nothing be opened any more.
func (s *Set[T]) Closed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Empty takes everything out and gives it.
func (s *Set[T]) Empty() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]T, 0, len(s.open))
	for id, v := range s.open {
		out = append(out, v)
		delete(s.open, id)
	}
	return out
}
