package place

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Roots are the folders of a workspace. They are safe for concurrent use.
type Roots struct {
	mu       sync.Mutex
	list     []string // canonical
	readOnly map[string]bool
}

// List is the canonical folders, in the order given.
func (r *Roots) List() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Set replaces the roots. A root that is no folder is an error, and the
// roots stay as they were.
func (r *Roots) Set(roots []string) error {
	var out []string
	for _, name := range roots {
		abs, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("workspace folder %s: %w", name, err)
		}
		abs = Canonical(abs)
		info, err := os.Stat(abs)
		if err != nil {
			return fmt.Errorf("workspace folder %s: %w", name, err)
		}
		if !info.IsDir() {
			return fmt.Errorf("workspace folder %s: not a folder", name)
		}
		if !slices.Contains(out, abs) {
			out = append(out, abs)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = out
	return nil
}

// SetReadOnly marks a root, or takes the mark away.
func (r *Roots) SetReadOnly(root string, readOnly bool) {
	if abs, err := filepath.Abs(root); err == nil {
		root = Canonical(abs)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readOnly == nil {
		r.readOnly = map[string]bool{}
	}
	r.readOnly[root] = readOnly
}

// ReadOnly tells whether the innermost root of a canonical path is marked.
func (r *Roots) ReadOnly(path string) (root string, marked bool) {
	root, _, ok := r.Of(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	return root, ok && r.readOnly[root]
}

// Of finds the innermost root that holds a canonical path.
func (r *Roots) Of(path string) (root, rel string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.list {
		if p, in := Under(f, path, Windows); in && len(f) >= len(root) {
			root, rel, ok = f, p, true
		}
	}
	return root, rel, ok
}

// Absolute is a path that starts from the first root, from the home folder
// ("~/…") or is absolute, without its "..".
func (r *Roots) Absolute(path string) (string, error) {
	switch {
	case strings.TrimSpace(path) == "":
		return "", errors.New("an empty path: name a file")
	case strings.IndexByte(path, 0) >= 0:
		return "", fmt.Errorf("%q: a path cannot hold a NUL character", path)
	}
	if path == "~" || strings.HasPrefix(path, "~/") || Windows && strings.HasPrefix(path, `~\`) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%s: the home folder is not known: %w", path, err)
		}
		path = home + path[1:]
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		roots := r.List()
		if len(roots) == 0 {
			return "", fmt.Errorf("%s: no folder is open; give an absolute path", path)
		}
		path = filepath.Join(roots[0], path)
	}
	return Clean(path), nil
}
