package diagnostics

import (
	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
	"companion/diagnostics/supervise"
	"companion/diagnostics/wire"
	"companion/workspace"
)

// observe keeps the servers' documents in step with the workspace. It only
// queues messages.
func (s *Service) observe(e workspace.Event) {
	path := e.Path
	if path == "" {
		return
	}
	s.mu.Lock()
	switch e.Kind {
	case workspace.Opened:
		s.editor[path] = true
	case workspace.Closed:
		delete(s.editor, path)
	case workspace.Disk:
		if e.Deleted {
			delete(s.held, path)
		}
	}
	inEditor, held := s.editor[path], s.held[path]
	s.mu.Unlock()
	switch e.Kind {
	case workspace.Opened, workspace.Changed:
		if s.usesOwn() && s.HasServer(path) {
			s.servers(path)
		}
		for _, c := range s.clients(path) {
			c.Sync(path, e.Text)
		}
	case workspace.Saved:
		for _, c := range s.clients(path) {
			c.Sync(path, e.Text)
			c.Save(path)
		}
		s.disk(path, wire.FileChanged)
	case workspace.Closed:
		for _, c := range s.clients(path) {
			if held {
				c.Sync(path, e.Text)
			} else {
				c.Drop(path)
			}
		}
	case workspace.Disk:
		s.onDisk(e, inEditor)
	}
}

func (s *Service) onDisk(e workspace.Event, inEditor bool) {
	change := wire.FileChanged
	switch {
	case e.Deleted:
		change = wire.FileDeleted
	case e.Created:
		change = wire.FileCreated
	}
	for _, c := range s.clients(e.Path) {
		switch {
		case inEditor: // the buffer counts, not the disk
		case e.Deleted:
			c.Drop(e.Path)
		case c.IsOpen(e.Path):
			c.Sync(e.Path, e.Text)
			c.Save(e.Path)
		}
	}
	s.disk(e.Path, change)
}

// disk tells every server whose root holds the path; watchers decide what they
// hear.
func (s *Service) disk(path string, change wire.FileChange) {
	s.mu.Lock()
	var all []*supervise.Server
	for k, in := range s.instances {
		if preset.Within(path, k.root) {
			all = append(all, in)
		}
	}
	s.mu.Unlock()
	for _, in := range all {
		if c := in.Now(); c != nil {
			c.DiskChanged(path, change)
		}
	}
}

func (s *Service) clients(path string) []*lspclient.Client {
	var out []*lspclient.Client
	for _, in := range s.running(path) {
		if c := in.Now(); c != nil {
			out = append(out, c)
		}
	}
	return out
}
