package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"companion/permission/paths"
)

// ReadOnly tells whether a simple command in the folder cwd is one of the short
// built-in list that changes nothing, with arguments that name nothing outside
// the roots and nothing secret.
func ReadOnly(words []string, cwd string, roots []string) bool {
	if len(words) == 0 || strings.ContainsAny(words[0], `/\`) || Escapes(words) != "" {
		return false // with a slash it is not the command of that name that PATH gives
	}
	args := words[1:]
	in := func(args []string) bool { return inside(args, cwd, roots) }
	switch words[0] {
	case "true", "false", "pwd", "whoami", "echo", ":", "uname", "id", "nproc", "which", "type", "sleep":
		return words[0] != "sleep" || len(args) == 1 && len(args[0]) == 1
	case "printf":
		return !has(args, "-v") && !hasPrefix(args, "-v")
	case "set":
		return true // Parse calls others than set -e and its like unclear
	case "cd":
		return len(args) == 1 && in(args)
	case "ls", "cat", "head", "tail", "wc", "stat", "file", "basename", "dirname", "realpath", "readlink", "cut", "nl", "cmp", "tr", "du", "tac", "rev",
		"fold", "expand", "comm", "join", "paste", "column", "md5sum", "sha1sum", "sha256sum", "cksum", "od", "hexdump", "strings", "sort", "uniq", "tree", "test", "[", "jq":
		switch {
		case words[0] == "tail" && (flagWith(args, "f") || flagWith(args, "F") || hasPrefix(args, "--f") || hasPrefix(args, "--retry")):
			return false // never ends
		case (words[0] == "wc" || words[0] == "sort" || words[0] == "du") && hasPrefix(args, "--f"):
			return false // reads what a file names
		case words[0] == "strings" && hasPrefix(args, "@"):
			return false // a file of further arguments
		case words[0] == "jq" && (flagWith(args, "f") || flagWith(args, "L") || hasPrefix(args, "--")):
			return false
		case words[0] == "file" && (flagWith(args, "f") || flagWith(args, "m") || hasPrefix(args, "--f") || hasPrefix(args, "--m")):
			return false
		case words[0] == "jq" && len(args) > 0:
			return in(operands(args, "")[min(1, len(operands(args, ""))):]) && !hasSubstring(args, "env", "ENV", "input_filename", "import", "include")
		}
		return in(args)
	case "date":
		return in(args)
	case "diff":
		return !flagWith(args, "r") && !hasPrefix(args, "--r") && !folders(operands(args, ""), cwd) && in(args)
	case "grep", "egrep", "fgrep":
		return !flagWith(args, "r") && !flagWith(args, "R") && !flagWith(args, "f") && !hasPrefix(args, "--rec") && !hasPrefix(args, "--der") && !hasPrefix(args, "--file") &&
			!hasPrefix(args, "--di") && !flagWith(args, "d") && !hasPrefix(args, "--inc") && in(args)
	case "sed":
		return in(args) // Escapes has seen the script
	case "find":
		return readOnlyFind(args) && in(args)
	case "command":
		return len(args) == 2 && (args[0] == "-v" || args[0] == "-V")
	case "go":
		return len(args) == 1 && (args[0] == "version" || args[0] == "env")
	case "git":
		return readOnlyGit(args, cwd, roots)
	}
	return len(args) == 1 && args[0] == "--version" && slices.Contains([]string{
		"node", "npm", "python", "python3", "cargo", "rustc", "gcc", "clang", "make", "java", "ruby", "git", "go", "docker", "deno", "bun", "php", "perl", "bash",
	}, words[0])
}

// readOnlyFind knows the tests of find and the actions that only print.
func readOnlyFind(args []string) bool {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			continue
		}
		switch a {
		case "-name", "-iname", "-path", "-ipath", "-type", "-maxdepth", "-mindepth", "-size", "-mtime", "-mmin", "-newer", "-empty", "-print", "-print0",
			"-not", "-and", "-or", "-a", "-o", "-prune", "-regex", "-iregex", "-depth", "-xdev", "-mount", "-perm", "-user", "-group", "-ls", "-quit", "-true", "-false", "-P":
		default:
			if len(a) < 2 || strings.Trim(a[1:], "0123456789kMGcbw") != "" { // -size -10k, -mtime -1
				return false
			}
		}
	}
	return true
}

// readOnlyGit knows sub-commands without flags that write or run something;
// of the global flags only the one that turns the pager off is taken.
func readOnlyGit(args []string, cwd string, roots []string) bool {
	if len(args) == 0 || inBareRepository(cwd) {
		return false
	}
	switch args[0] {
	case "status", "log", "diff", "show", "rev-parse", "ls-files", "blame", "shortlog", "describe", "ls-tree", "merge-base", "rev-list", "diff-tree", "cat-file", "name-rev":
		return inside(args[1:], cwd, roots) && !slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--contents") || strings.HasPrefix(a, "--filters") || strings.HasPrefix(a, "--ignore-revs") ||
				strings.HasPrefix(a, "--batch") || strings.HasPrefix(a, "--stdin") || secretSpec(a, cwd)
		})
	case "branch":
		return len(args) == 1 || len(args) == 2 && slices.Contains([]string{"-a", "-v", "-vv", "-r", "--show-current", "--list", "--all"}, args[1])
	case "remote":
		return len(args) == 1 || len(args) == 2 && args[1] == "-v"
	case "stash":
		return len(args) == 2 && args[1] == "list"
	case "tag":
		return len(args) == 2 && (args[1] == "-l" || args[1] == "--list")
	}
	return false
}

// secretSpec tells whether what git takes for a pattern of paths may name a
// secret.
func secretSpec(arg, cwd string) bool {
	spec, magic := Pathspec(arg)
	switch {
	case strings.ContainsAny(spec, "*?["):
		return paths.MaybeSecret(cwd, spec)
	case magic:
		return paths.Secret(paths.Join(cwd, spec))
	}
	return false
}

// Pathspec is the pattern in an argument of git, without what stands before it:
// :(top,glob)a, :/a, :!a. magic is false where nothing does.
func Pathspec(arg string) (spec string, magic bool) {
	rest, ok := strings.CutPrefix(arg, ":")
	if !ok {
		return arg, false
	}
	if long, ok := strings.CutPrefix(rest, "("); ok {
		_, spec, ok = strings.Cut(long, ")")
		return spec, ok
	}
	spec = strings.TrimLeft(rest, "/!^")
	return strings.TrimPrefix(spec, ":"), spec != rest
}

// inBareRepository tells whether git, started in dir, may take a plain folder
// for its repository: one with a HEAD. Such a folder can be part of a clone,
// with a config that names commands, which a .git cannot.
func inBareRepository(dir string) bool {
	for dir = paths.Canonical(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			return true
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return false
		}
	}
}

// folders tells whether a name is a folder, of which diff shows what the files
// hold.
func folders(names []string, cwd string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(paths.Join(cwd, name))
		return err == nil && info.IsDir()
	})
}

// inside tells whether no argument names a place outside the roots or a secret.
func inside(args []string, cwd string, roots []string) bool {
	for _, a := range args {
		if flag, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(flag, "-") {
			a = value
		} else if strings.HasPrefix(a, "-") && !strings.Contains(a, "/") {
			if len(a) > 2 && paths.Secret(a[2:]) {
				return false // a name glued to a flag
			}
			continue
		} else if strings.HasPrefix(a, "-") {
			return false // a path glued to a flag
		}
		for _, part := range append(strings.Split(a, ":"), a) { // rev:path
			if part == "" {
				continue
			}
			path := paths.Join(cwd, part)
			if real := paths.Canonical(path); paths.Secret(path) || paths.Secret(real) || !paths.Inside(real, roots) {
				return false
			}
		}
	}
	return true
}

func has(args []string, flag string) bool { return slices.Contains(args, flag) }

func hasPrefix(args []string, prefix string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, prefix) })
}

func hasSubstring(args []string, parts ...string) bool {
	for _, a := range args {
		for _, p := range parts {
			if strings.Contains(a, p) {
				return true
			}
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
