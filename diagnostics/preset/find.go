package preset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"companion/diagnostics/lspclient"
)

// ErrNotFound: the server's command is not installed.
var ErrNotFound = errors.New("not found in PATH")

// Where a server is looked for and started.
type Where struct {
	Root    string   // its working folder
	Roots   []string // of the workspace
	Env     []string
	Fake    bool // nothing is looked for: the command is a name for a fake
	Trusted func(path string) bool
}

// Find gives what starts the preset's server. A program that lies inside
// the workspace is the repository's, not the user's: it is refused unless
// trusted says otherwise.
func (p Preset) Find(w Where) (lspclient.Command, error) {
	env := absolutePath(append(append([]string(nil), w.Env...), p.Env...))
	path := p.Command
	if !w.Fake { // fakes have no file
		found, err := LookPath(p.Command, env)
		if err != nil {
			return lspclient.Command{}, fmt.Errorf("%s: %s is %w; to install it: %s", p.Name, p.Command, ErrNotFound, p.Install)
		}
		if path, err = filepath.Abs(found); err != nil {
			return lspclient.Command{}, err
		}
		real := path
		if r, err := filepath.EvalSymlinks(path); err == nil {
			real = r
		}
		if (w.inside(path) || w.inside(real)) && (w.Trusted == nil || !w.Trusted(path)) {
			return lspclient.Command{}, fmt.Errorf("%s: %s lies inside the workspace and is not started; install it outside: %s", p.Name, path, p.Install)
		}
	}
	return lspclient.Command{Path: path, Args: p.Args, Env: env, Dir: w.Root}, nil
}

// absolutePath drops the relative folders of PATH, such as ".": the server runs
// in the workspace, and would find the repository's node there.
func absolutePath(env []string) []string {
	for i, kv := range env {
		if name, list, _ := strings.Cut(kv, "="); strings.EqualFold(name, "PATH") {
			dirs := slices.DeleteFunc(filepath.SplitList(list), func(d string) bool { return !filepath.IsAbs(d) })
			env[i] = name + "=" + strings.Join(dirs, string(filepath.ListSeparator))
		}
	}
	return env
}

// LookPath is exec.LookPath in the PATH of env. Names with a separator are
// taken as they are.
func LookPath(name string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	for i := len(env) - 1; i >= 0; i-- {
		dirs, ok := strings.CutPrefix(env[i], "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(dirs) {
			if !filepath.IsAbs(dir) {
				continue // "." would be the workspace
			}
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
		return "", exec.ErrNotFound
	}
	return exec.LookPath(name)
}

func (w Where) inside(path string) bool {
	return slices.ContainsFunc(w.Roots, func(root string) bool { return Within(path, root) })
}

// Within says whether path is root or lies below it.
func Within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// RootOf is the nearest folder upward from path, within the workspace root that
// holds it, that has one of the markers; without one it is that root. "" when
// path lies outside every root.
func RootOf(path string, roots, markers []string) string {
	top := ""
	for _, root := range roots {
		if Within(path, root) && len(root) > len(top) {
			top = root
		}
	}
	if top == "" {
		return ""
	}
	for dir := filepath.Dir(path); len(dir) >= len(top); dir = filepath.Dir(dir) {
		for _, m := range markers {
			if _, err := os.Stat(filepath.Join(dir, m)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return top
}

// sampled bounds how many folder entries Sample looks at.
const sampled = 2000

// Sample finds one file of the preset's language in or below dir, "" = none
// among the first entries. Hidden folders, vendor and node_modules are left out.
func (p Preset) Sample(dir string) string {
	found, n := "", 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		n++
		name := ""
		if err == nil {
			name = d.Name()
		}
		switch {
		case n > sampled || found != "":
			return fs.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && path != dir && (strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules" || name == "testdata"):
			return fs.SkipDir
		case d.Type().IsRegular() && p.Language(path) != "" && !slices.Contains(p.RootMarkers, name):
			found = path
		}
		return nil
	})
	return found
}

// Marks says which of the preset's root markers are in dir.
func (p Preset) Marks(dir string) []string {
	var out []string
	for _, m := range p.RootMarkers {
		path := filepath.Join(dir, m)
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

// Rel is a path from the deepest root that holds it, with slashes; path itself
// outside of all.
func Rel(path string, roots []string) string {
	best := path
	for _, root := range roots {
		if Within(path, root) {
			if r, err := filepath.Rel(root, path); err == nil && len(r) < len(best) {
				best = filepath.ToSlash(r)
			}
		}
	}
	return best
}
