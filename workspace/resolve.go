package workspace

import (
	"companion/workspace/mirror"
	"companion/workspace/place"
)

// Resolve gives the identity of the file that path names: relative to the first
// root, absolute, or "~/…". A file that does not exist is no error. Outside is
// set when the file, after all symlinks (also a last one that leads nowhere),
// lies in no root. Only a name that no file can have is an error.
func (w *Workspace) Resolve(path string) (File, error) {
	abs, err := w.roots.Absolute(path)
	if err != nil {
		return File{}, err
	}
	return w.mirror.Identify(place.Canonical(abs)), nil
}

// Resolver is Resolve for many paths of one short operation of one goroutine.
func (w *Workspace) Resolver() func(path string) (File, error) {
	var folders place.Folders
	return func(path string) (File, error) {
		abs, err := w.roots.Absolute(path)
		if err != nil {
			return File{}, err
		}
		return w.mirror.Identify(folders.Canonical(abs)), nil
	}
}

// ResolveURI is Resolve for a file URI. A document that the editor has open
// under another scheme (untitled:) is named by its URI: Path, URI and Rel are
// the URI, and Outside is set. Any other URI is ErrNotFile.
func (w *Workspace) ResolveURI(uri string) (File, error) {
	if !mirror.IsFile(uri) {
		if _, ok := w.Document(uri); ok {
			return mirror.Virtual(uri), nil
		}
	}
	path, err := place.FromURI(uri, place.Windows)
	if err != nil {
		return File{}, err
	}
	return w.Resolve(path)
}
