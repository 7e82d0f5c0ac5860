package diagnostics

import (
	"errors"
	"reflect"
	"slices"

	"companion/diagnostics/preset"
	"companion/diagnostics/supervise"
)

// Why a server that runs is ended by new settings or folders.
var (
	errSettings = errors.New("its settings changed")
	errFolder   = errors.New("its folder was removed from the workspace")
)

// table is the present list of servers.
func (s *Service) table() []preset.Preset { return *s.presets.Load() }

// Configure takes new settings of servers. Those that run with other settings
// are started again, those that are disabled now are ended, and files that the
// editor has open get a server that was enabled.
func (s *Service) Configure(servers map[string]Override) {
	next := preset.Table(servers)
	s.presets.Store(&next)
	s.end(func(in *supervise.Server) error {
		i := slices.IndexFunc(next, func(p preset.Preset) bool { return p.Name == in.Preset().Name })
		if i < 0 || !reflect.DeepEqual(next[i], in.Preset()) {
			return errSettings
		}
		return nil
	})
	s.startOpen()
}

// RootsChanged ends the servers of folders that left the workspace.
func (s *Service) RootsChanged() {
	roots := s.ws.Roots()
	s.end(func(in *supervise.Server) error {
		if !slices.ContainsFunc(roots, func(r string) bool { return preset.Within(in.Root(), r) }) {
			return errFolder
		}
		return nil
	})
	s.startOpen()
}

// end stops the servers for which why gives a reason.
func (s *Service) end(why func(*supervise.Server) error) {
	type ending struct {
		server *supervise.Server
		reason error
	}
	var old []ending
	s.mu.Lock()
	for k, in := range s.instances {
		if err := why(in); err != nil {
			old = append(old, ending{in, err})
			delete(s.instances, k)
		}
	}
	s.mu.Unlock()
	for _, e := range old {
		e.server.Stop(e.reason)
	}
}

// startOpen starts what serves the files that the editor has open.
func (s *Service) startOpen() {
	for _, d := range s.ws.Documents() {
		if d.Path != "" && !d.Outside && s.usesOwn() {
			s.servers(d.Path)
		}
	}
}
