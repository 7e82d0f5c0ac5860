package transcript

import (
	"slices"
	"sync"

	"companion/session"
)

// Sinks are those who hear events. The zero value is empty; it is safe for
// concurrent use.
type Sinks struct {
	mu   sync.Mutex
	list []*sink
}

type sink struct{ hear func(session.Event) }

// Add adds one; it hears what is told from now on until cancel.
func (s *Sinks) Add(hear func(session.Event)) (cancel func()) {
	added := &sink{hear}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(slices.Clip(s.list), added)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = slices.DeleteFunc(slices.Clone(s.list), func(x *sink) bool { return x == added })
	}
}

// Tell tells all, in the order in which they were added.
func (s *Sinks) Tell(e session.Event) {
	s.mu.Lock()
	list := s.list
	s.mu.Unlock()
	for _, x := range list {
		x.hear(e)
	}
}
