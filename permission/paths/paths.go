package paths

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// maxLinks bounds how many links one path leads through; Linux gives up at 40.
const maxLinks = 40

// Canonical resolves an absolute path as the kernel does: ".." after a symlink
// leaves the link's target, and a link to nothing is what it points to. What
// does not exist stays as it is named.
func Canonical(path string) string { return canonical(path, 0) }

func canonical(path string, links int) string {
	rest := ""
	for at := path; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		up, name := split(at)
		if up == at {
			return filepath.Clean(path)
		}
		if target, err := os.Readlink(at); err == nil && links < maxLinks {
			if !filepath.IsAbs(target) {
				target = Join(up, target)
			}
			return filepath.Join(canonical(target, links+1), rest)
		}
		at, rest = up, filepath.Join(name, rest)
	}
}

// split is filepath.Split without cleaning: the folder keeps its "..".
func split(path string) (dir, name string) {
	separator := func(r rune) bool { return r == '/' || r == filepath.Separator }
	path = strings.TrimRightFunc(path, separator)
	i := strings.LastIndexFunc(path, separator)
	vol := len(filepath.VolumeName(path))
	switch {
	case i < vol:
		return path[:vol] + string(filepath.Separator), path[vol:]
	case i == vol:
		return path[:i+1], path[i+1:]
	}
	return path[:i], path[i+1:]
}

// Join puts a path below a folder without cleaning either, so that Canonical
// sees what the kernel will see. An absolute path stays.
func Join(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) + path
}

// Inside tells whether a canonical path is one of the roots or lies below one.
func Inside(path string, roots []string) bool {
	for _, root := range roots {
		rel, err := filepath.Rel(root, filepath.Clean(path))
		if err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// Steers tells whether a path below a root lies in a folder, or is one, whose
// files name commands that git, the editor or companion runs later: a write
// there is worth a command. git refuses git~1 for the same reason, the short
// name of .git on Windows.
func Steers(path string, roots []string) bool {
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		for _, name := range strings.Split(strings.ToLower(filepath.ToSlash(rel)), "/") {
			name = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Cf, r) { // macOS passes over them
					return -1
				}
				return r
			}, name)
			name = strings.TrimRight(name, ". ") // as Windows does
			if name == ".git" || name == "git~1" || name == ".vscode" || name == ".companion" {
				return true
			}
		}
	}
	return false
}
