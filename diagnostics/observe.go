package diagnostics

import (
	"path/filepath"
	"strings"

	"companion/diagnostics/lspclient"
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
		if !s.HasServer(path) {
			return
		}
		for _, in := range s.servers(path) {
			if c := in.now(); c != nil {
				c.Sync(path, e.Text)
			}
		}
	case workspace.Saved:
		for _, c := range s.clients(path) {
			c.Sync(path, e.Text)
			c.Save(path)
		}
		s.disk(path, lspclient.FileChanged)
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
	change := lspclient.FileChanged
	switch {
	case e.Deleted:
		change = lspclient.FileDeleted
	case e.Created:
		change = lspclient.FileCreated
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
func (s *Service) disk(path string, change lspclient.FileChange) {
	s.mu.Lock()
	var all []*instance
	for k, in := range s.instances {
		if within(path, k.root) {
			all = append(all, in)
		}
	}
	s.mu.Unlock()
	for _, in := range all {
		if c := in.now(); c != nil {
			c.DiskChanged(path, change)
		}
	}
}

func (s *Service) clients(path string) []*lspclient.Client {
	var out []*lspclient.Client
	for _, in := range s.running(path) {
		if c := in.now(); c != nil {
			out = append(out, c)
		}
	}
	return out
}

func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
