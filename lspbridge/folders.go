package lspbridge

import (
	"path/filepath"
	"slices"

	"companion/lspbridge/wire"
	"companion/workspace"

	"go.lsp.dev/uri"
)

// rootURIs are the folders of initialize; rootUri and rootPath are what clients
// without folders send.
func rootURIs(p initParams) []string {
	var out []string
	for _, f := range p.WorkspaceFolders {
		out = append(out, f.URI)
	}
	if len(out) == 0 && p.RootURI != nil && *p.RootURI != "" {
		out = []string{*p.RootURI}
	}
	if len(out) == 0 && p.RootPath != nil && *p.RootPath != "" {
		out = []string{string(uri.File(*p.RootPath))}
	}
	return out
}

// paths gives the folders that are folders of this machine.
func (s *Server) paths(uris []string) []string {
	var out []string
	for _, f := range uris {
		path, ok := wire.Folder(f)
		if !ok {
			s.log.Warn("workspace folder ignored", "uri", f)
			continue
		}
		out = append(out, path)
	}
	return out
}

// foldersChanged takes workspace/didChangeWorkspaceFolders, in the order of the wire.
func (s *Server) foldersChanged(added, removed []string) {
	s.mu.Lock()
	s.folders = slices.DeleteFunc(s.folders, func(f string) bool { return slices.Contains(removed, f) })
	for _, f := range added {
		if !slices.Contains(s.folders, f) {
			s.folders = append(s.folders, f)
		}
	}
	uris := slices.Clone(s.folders)
	s.mu.Unlock()
	roots := s.paths(uris)
	if s.distrusted.Load() {
		for _, root := range s.paths(added) {
			s.backend.Workspace.SetReadOnly(root, true)
		}
	}
	_ = s.backend.Workspace.SetRoots(roots) // at once, for what comes next on the wire; setRoots tells what is wrong
	s.later.Do(func() {
		s.setRoots(roots)
		s.askTrust()
	})
}

func (s *Server) setRoots(roots []string) {
	err := s.backend.Workspace.SetRoots(roots)
	if set := s.backend.SetRoots; err == nil && set != nil {
		err = set(s.ctx, roots)
	}
	if err != nil {
		s.log.Warn("workspace folders", "err", err)
	}
}

// adopt makes the directory of a file a root when the editor has no folder
// open: without one nothing could be changed.
func (s *Server) adopt(f workspace.File) {
	if !f.Outside || !filepath.IsAbs(f.Path) {
		return
	}
	s.mu.Lock()
	if len(s.folders) > 0 {
		s.mu.Unlock()
		return
	}
	if dir := filepath.Dir(f.Path); !slices.Contains(s.adopted, dir) {
		s.adopted = append(s.adopted, dir)
	}
	roots := slices.Clone(s.adopted)
	s.mu.Unlock()
	s.setRoots(roots)
}
