package diagnostics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"companion/diagnostics/preset"
	"companion/diagnostics/supervise"
)

// How a server is, for status displays.
type (
	ServerStatus = supervise.Status
	State        = supervise.State
)

// The states of a server.
const (
	Starting   = supervise.Starting
	Ready      = supervise.Ready
	Restarting = supervise.Restarting
	Broken     = supervise.Broken
)

// Status lists the servers that were started, sorted by name and root.
func (s *Service) Status() []ServerStatus {
	s.mu.Lock()
	var all []*supervise.Server
	for _, in := range s.instances {
		all = append(all, in)
	}
	s.mu.Unlock()
	var out []ServerStatus
	for _, in := range all {
		out = append(out, in.Status())
	}
	slices.SortFunc(out, func(a, b ServerStatus) int { return strings.Compare(a.Name+"\x00"+a.Root, b.Name+"\x00"+b.Root) })
	return out
}

// Restart ends the servers of that name ("" = all) and starts them again, the
// broken ones too; it gives the names of what was restarted, each once.
func (s *Service) Restart(name string) []string {
	s.mu.Lock()
	var old []*supervise.Server
	for k, in := range s.instances {
		if (name == "" || k.preset == name) && !s.closed {
			old = append(old, in)
			delete(s.instances, k)
		}
	}
	s.mu.Unlock()
	var out []string
	for _, in := range old {
		in.Stop(fmt.Errorf("%s was restarted", in.Preset().Name))
		s.instance(in.Preset(), in.Root())
		out = append(out, in.Preset().Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Finding is what Doctor saw of one preset.
type Finding = preset.Finding

// Doctor starts every preset's server once at root and says whether it answers.
func (s *Service) Doctor(ctx context.Context, root string) []Finding {
	var out []Finding
	for _, p := range s.table() {
		out = append(out, p.Examine(ctx, s.where(root), s.dial, s.fixed(p).Initialize))
	}
	return out
}
