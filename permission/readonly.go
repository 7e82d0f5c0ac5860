package permission

import (
	"os"
	"path/filepath"
	"strings"
)

// readOnly tells whether a simple command is one of the short built-in list
// that changes nothing, with arguments that name nothing outside the roots and
// nothing secret. words are literal.
func readOnly(words []string, cwd string, roots []string) bool {
	if strings.ContainsRune(words[0], '/') || strings.ContainsRune(words[0], '\\') {
		return false // not the command of that name that PATH gives
	}
	args := words[1:]
	switch words[0] {
	case "true", "false", "pwd", "whoami", "echo", "printf":
		return words[0] != "printf" || !has(args, "-v")
	case "ls", "cat", "head", "tail", "wc", "stat", "file", "basename", "dirname", "realpath", "cut", "nl", "cmp", "tr", "du":
		if words[0] == "tail" && (has(args, "-f") || has(args, "-F") || hasPrefix(args, "--follow")) {
			return false // never ends
		}
		return inside(args, cwd, roots)
	case "diff":
		return !flagWith(args, "r") && !hasPrefix(args, "--recursive") && inside(args, cwd, roots)
	case "grep", "egrep", "fgrep":
		return !flagWith(args, "r") && !flagWith(args, "R") && !hasPrefix(args, "--recursive") && !hasPrefix(args, "--dereference") &&
			!hasPrefix(args, "--directories") && !flagWith(args, "d") && !hasPrefix(args, "--include") && inside(args, cwd, roots)
	case "go":
		return len(args) == 1 && (args[0] == "version" || args[0] == "env")
	case "git":
		return readOnlyGit(args, cwd, roots)
	}
	return false
}

// readOnlyGit knows sub-commands without flags that write or run something;
// global flags before the sub-command are not understood.
func readOnlyGit(args []string, cwd string, roots []string) bool {
	if len(args) == 0 || escapes(append([]string{"git"}, args...)) || inBareRepository(cwd) {
		return false
	}
	switch args[0] {
	case "status", "log", "diff", "show", "rev-parse", "ls-files", "blame", "shortlog", "describe":
		return inside(args[1:], cwd, roots)
	case "branch":
		return len(args) == 1 || len(args) == 2 && (args[1] == "-a" || args[1] == "-v" || args[1] == "--show-current")
	case "remote", "tag", "stash":
		return args[0] == "remote" && (len(args) == 1 || len(args) == 2 && args[1] == "-v") || args[0] == "stash" && len(args) == 2 && args[1] == "list"
	}
	return false
}

// inBareRepository tells whether git, started in dir, may take a plain folder
// for its repository: one with a HEAD. Such a folder can be part of a clone,
// with a config that names commands, which a .git cannot.
func inBareRepository(dir string) bool {
	for dir = canonical(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			return true
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return false
		}
	}
}

// escapes tells whether a command has arguments by which it writes a file or
// runs another command although its name promises less; no prefix rule allows
// it then.
func escapes(words []string) bool {
	if filepath.Base(words[0]) != "git" {
		return false
	}
	sub := false
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			sub = true
			continue
		}
		if !sub && w != "--no-pager" && w != "--version" && w != "--help" && w != "--no-optional-locks" {
			return true // -c, -C, --exec-path, --git-dir, …
		}
		for _, bad := range []string{"--output", "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--upload-pack", "--receive-pack", "--exec", "--no-index"} {
			name, _, _ := strings.Cut(w, "=")
			if strings.HasPrefix(w, bad) || len(name) > 4 && strings.HasPrefix(bad, name) { // git takes abbreviations
				return true
			}
		}
	}
	return false
}

// inside tells whether no argument names a place outside the roots or a secret.
func inside(args []string, cwd string, roots []string) bool {
	for _, a := range args {
		if flag, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(flag, "-") {
			a = value
		} else if strings.HasPrefix(a, "-") && !strings.Contains(a, "/") {
			continue
		} else if strings.HasPrefix(a, "-") {
			return false // a path glued to a flag
		}
		for _, part := range strings.FieldsFunc(a, func(r rune) bool { return r == ':' }) { // rev:path
			if !insideRoots(part, cwd, roots) {
				return false
			}
		}
	}
	return true
}

func insideRoots(arg, cwd string, roots []string) bool {
	path := arg
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if secret(path) {
		return false
	}
	if path = canonical(path); secret(path) {
		return false
	}
	for _, root := range roots {
		rel, err := filepath.Rel(root, filepath.Clean(path))
		if err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// canonical resolves symlinks as far as the path exists.
func canonical(path string) string {
	rest := ""
	for at := filepath.Clean(path); ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(at)
		if up == at {
			return filepath.Clean(path)
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

func has(args []string, flag string) bool {
	for _, a := range args {
		if a == flag {
			return true
		}
	}
	return false
}

func hasPrefix(args []string, prefix string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, prefix) {
			return true
		}
	}
	return false
}

// flagWith tells whether a group of short flags holds one.
func flagWith(args []string, letter string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, letter) {
			return true
		}
	}
	return false
}
