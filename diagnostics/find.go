package diagnostics

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"companion/diagnostics/lspclient"
)

// ErrNotFound: the server's command is not installed.
var ErrNotFound = errors.New("not found in PATH")

// command gives what starts the preset's server. A program that lies inside
// the workspace is the repository's, not the user's: it is refused unless
// trusted says otherwise.
func (s *Service) command(p Preset, root string) (lspclient.Command, error) {
	env := append(append([]string(nil), s.opt.Env...), p.Env...)
	path := p.Command
	if s.opt.Dial == nil { // fakes have no file
		found, err := lookPath(p.Command, env)
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
		if (s.inside(path) || s.inside(real)) && (s.opt.TrustedCommand == nil || !s.opt.TrustedCommand(path)) {
			return lspclient.Command{}, fmt.Errorf("%s: %s lies inside the workspace and is not started; install it outside: %s", p.Name, path, p.Install)
		}
	}
	return lspclient.Command{Path: path, Args: p.Args, Env: env, Dir: root}, nil
}

// lookPath is exec.LookPath in the PATH of env. Names with a separator are
// taken as they are.
func lookPath(name string, env []string) (string, error) {
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

func (s *Service) inside(path string) bool {
	for _, root := range s.ws.Roots() {
		if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// rootOf is the nearest folder upward from path, within the workspace root that
// holds it, that has one of the markers; without one it is that root. "" when
// path lies outside every root.
func (s *Service) rootOf(path string, markers []string) string {
	top := ""
	for _, root := range s.ws.Roots() {
		if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && len(root) > len(top) {
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
