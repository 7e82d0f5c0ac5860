package diagnostics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"companion/diagnostics/preset"
)

// ServerStatus is one server at one root.
type ServerStatus struct {
	Name, Root string
	State      State
	Version    string // as the server told it
	Starts     int    // how often it was started
	Open       int    // files that it holds
	Err        string // why it is broken, or how it ended last
}

// Status lists the servers that were started, sorted by name and root.
func (s *Service) Status() []ServerStatus {
	s.mu.Lock()
	var all []*instance
	for _, in := range s.instances {
		all = append(all, in)
	}
	s.mu.Unlock()
	var out []ServerStatus
	for _, in := range all {
		in.mu.Lock()
		st := ServerStatus{Name: in.preset.Name, Root: in.root, State: in.state, Starts: in.starts}
		if in.err != nil {
			st.Err = in.err.Error()
		}
		c := in.client
		in.mu.Unlock()
		if c != nil {
			st.Version = c.Version()
			for _, path := range c.Files() {
				if c.IsOpen(path) {
					st.Open++
				}
			}
		}
		out = append(out, st)
	}
	slices.SortFunc(out, func(a, b ServerStatus) int { return strings.Compare(a.Name+"\x00"+a.Root, b.Name+"\x00"+b.Root) })
	return out
}

// Restart ends the servers of that name ("" = all) and starts them again, the
// broken ones too; it gives the names and roots of what was restarted.
func (s *Service) Restart(name string) []string {
	s.mu.Lock()
	var old []*instance
	for k, in := range s.instances {
		if (name == "" || k.preset == name) && !s.closed {
			old = append(old, in)
			delete(s.instances, k)
		}
	}
	s.mu.Unlock()
	var out []string
	for _, in := range old {
		in.stop()
		if c := in.now(); c != nil {
			c.Kill()
		}
		in.set(Broken, nil, fmt.Errorf("%s was restarted", in.preset.Name))
		s.instance(in.preset, in.root)
		out = append(out, in.preset.Name+" at "+in.root)
	}
	slices.Sort(out)
	return out
}

// Finding is what Doctor saw of one preset.
type Finding = preset.Finding

// Doctor starts every preset's server once at root and says whether it answers.
func (s *Service) Doctor(ctx context.Context, root string) []Finding {
	var out []Finding
	for _, p := range s.presets {
		out = append(out, p.Examine(ctx, s.where(root), s.dial, s.fixed(p).Initialize))
	}
	return out
}
