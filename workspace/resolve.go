package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"companion/workspace/place"
)

// Resolve gives the identity of the file that path names: relative to the first
// root, absolute, or "~/…". A file that does not exist is no error. Outside is
// set when the file, after all symlinks (also a last one that leads nowhere),
// lies in no root. Only a name that no file can have is an error.
func (w *Workspace) Resolve(path string) (File, error) {
	abs, err := w.absolute(path)
	if err != nil {
		return File{}, err
	}
	return w.identify(place.Canonical(abs)), nil
}

// ResolveURI is Resolve for a file URI. A document that the editor has open
// under another scheme (untitled:) is named by its URI: Path, URI and Rel are
// the URI, and Outside is set. Any other URI is ErrNotFile.
func (w *Workspace) ResolveURI(uri string) (File, error) {
	if !isFileURI(uri) {
		if _, ok := w.Document(uri); ok {
			return virtual(uri), nil
		}
	}
	path, err := place.FromURI(uri, place.Windows)
	if err != nil {
		return File{}, err
	}
	return w.Resolve(path)
}

// keyOf makes one map key of the spellings of one canonical path.
func keyOf(path string) string { return place.Key(path, place.Windows) }

func isFileURI(uri string) bool {
	return len(uri) > 5 && strings.EqualFold(uri[:5], "file:")
}

func virtual(uri string) File { return File{Path: uri, URI: uri, Rel: uri, Outside: true} }

func (w *Workspace) absolute(path string) (string, error) {
	switch {
	case strings.TrimSpace(path) == "":
		return "", errors.New("an empty path: name a file")
	case strings.IndexByte(path, 0) >= 0:
		return "", fmt.Errorf("%q: a path cannot hold a NUL character", path)
	}
	if path == "~" || strings.HasPrefix(path, "~/") || place.Windows && strings.HasPrefix(path, `~\`) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%s: the home folder is not known: %w", path, err)
		}
		path = home + path[1:]
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		roots := w.Roots()
		if len(roots) == 0 {
			return "", fmt.Errorf("%s: no folder is open; give an absolute path", path)
		}
		path = filepath.Join(roots[0], path)
	}
	return place.Clean(path), nil
}

// identify completes a canonical path.
func (w *Workspace) identify(path string) File {
	f := File{Path: path, URI: place.ToURI(path, place.Windows), Rel: path, Outside: true}
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.docAt(path); d != nil {
		f.URI = d.uri
	}
	if _, rel, ok := w.rootOf(path); ok {
		f.Rel, f.Outside = rel, false
	}
	return f
}

// rootOf finds the innermost root that holds a canonical path. w.mu is held.
func (w *Workspace) rootOf(path string) (root, rel string, ok bool) {
	for _, r := range w.roots {
		if p, in := place.Under(r, path, place.Windows); in && len(r) >= len(root) {
			root, rel, ok = r, p, true
		}
	}
	return root, rel, ok
}
