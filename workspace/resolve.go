package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	return w.identify(canonical(abs)), nil
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
	path, err := pathOfURI(uri, onWindows)
	if err != nil {
		return File{}, err
	}
	return w.Resolve(path)
}

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
	if path == "~" || strings.HasPrefix(path, "~/") || onWindows && strings.HasPrefix(path, `~\`) {
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
	return cleanDrive(filepath.Clean(path)), nil
}

func cleanDrive(p string) string {
	if onWindows {
		return foldDrive(p)
	}
	return p
}

// identify completes a canonical path.
func (w *Workspace) identify(path string) File {
	f := File{Path: path, URI: uriOfPath(path, onWindows), Rel: path, Outside: true}
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
		if p, in := under(r, path, onWindows); in && len(r) >= len(root) {
			root, rel, ok = r, p, true
		}
	}
	return root, rel, ok
}

// maxLinks is how many symlinks one path may go through, as on Linux (path_resolution(7)).
const maxLinks = 40

// canonical resolves every symlink of an absolute path, as far as the path
// exists, and also where a link leads to something that does not exist: a write
// would create it there. A loop ends at the link itself.
func canonical(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return cleanDrive(p)
	}
	vol := filepath.VolumeName(path)
	sep := string(filepath.Separator)
	done := vol + sep
	todo := strings.Split(strings.TrimPrefix(path[len(vol):], sep), sep)
	links := 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || links >= maxLinks {
			done = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			done = next
			continue
		}
		links++
		if filepath.IsAbs(target) {
			vol = filepath.VolumeName(target)
			done, target = vol+sep, target[len(vol):]
		}
		todo = append(strings.Split(target, sep), todo...)
	}
	return cleanDrive(done)
}
