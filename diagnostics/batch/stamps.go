package batch

import (
	"fmt"
	"os"
	"sync"
)

// Stamps remembers size and time of files as they were last looked at.
type Stamps struct {
	mu sync.Mutex
	m  map[string]string
}

// NewStamps knows of no file.
func NewStamps() *Stamps { return &Stamps{m: map[string]string{}} }

// Moved are those of paths that look different from when they were last looked
// at, or were not yet.
func (s *Stamps) Moved(paths []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		stamp := ""
		if err == nil {
			stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		if s.m[path] != stamp {
			s.m[path] = stamp
			out = append(out, path)
		}
	}
	return out
}
