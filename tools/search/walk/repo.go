package walk

import (
	"os"
	"path/filepath"
	"strings"
)

// mostIgnore bounds what is read of an ignore file, in bytes.
const mostIgnore = 1 << 20

// gitTop finds the work tree that dir lies in: the nearest folder with a .git.
func gitTop(dir string) (top string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

// ofRepo is what holds for all of a repository, besides its ignore files:
// .git/info/exclude and, below it, core.excludesFile. base as in frame.
func (t *Tree) ofRepo(top string, base int) *frame {
	git := gitFolder(top)
	global := t.global(filepath.Join(git, "config"))
	f := &frame{base: base, rules: parse(readSmall(global))}
	return &frame{up: f, base: base, rules: parse(readSmall(filepath.Join(git, "info", "exclude")))}
}

// gitFolder is where a work tree's info/exclude and config lie: its .git, or for
// a linked work tree the common folder of its repository.
func gitFolder(top string) string {
	git := filepath.Join(top, ".git")
	text, isFile := strings.CutPrefix(readSmall(git), "gitdir:")
	if !isFile {
		return git
	}
	git = under(top, strings.TrimSpace(text))
	if common := strings.TrimSpace(readSmall(filepath.Join(git, "commondir"))); common != "" {
		return under(git, common)
	}
	return git
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// global is the path of core.excludesFile: what the last of git's configuration
// files says, else its default.
func (t *Tree) global(repoConfig string) string {
	home := t.getenv("HOME")
	if home == "" {
		home = t.getenv("USERPROFILE")
	}
	xdg := t.getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	var found, out string
	if xdg != "" {
		out = filepath.Join(xdg, "git", "ignore")
	}
	configs := []string{repoConfig}
	if one := t.getenv("GIT_CONFIG_GLOBAL"); one != "" {
		configs = []string{one, repoConfig}
	} else if home != "" {
		configs = []string{filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"), repoConfig}
	}
	if t.getenv("GIT_CONFIG_NOSYSTEM") == "" {
		configs = append([]string{"/etc/gitconfig"}, configs...)
	}
	for _, c := range configs {
		if v, ok := excludesFile(readSmall(c)); ok {
			found = v
		}
	}
	switch {
	case found == "":
		return out
	case strings.HasPrefix(found, "~/"):
		return filepath.Join(home, found[2:])
	case filepath.IsAbs(found):
		return found
	}
	return "" // from wherever git is run: not to be known
}

// excludesFile reads core.excludesFile out of a configuration of git.
func excludesFile(text string) (value string, ok bool) {
	section := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, rest, _ := strings.Cut(line[1:], "]")
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest)
		}
		key, v, has := strings.Cut(line, "=")
		if !has || section != "core" || !strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			continue
		}
		v = strings.TrimSpace(v)
		if strings.HasPrefix(v, `"`) {
			v, _, _ = strings.Cut(v[1:], `"`)
			v = strings.ReplaceAll(v, `\\`, `\`)
		} else if i := strings.IndexAny(v, "#;"); i >= 0 {
			v = strings.TrimSpace(v[:i])
		}
		value, ok = v, true
	}
	return value, ok
}

// readSmall gives a regular file's text, "" for anything else.
func readSmall(path string) string {
	if path == "" {
		return ""
	}
	info, err := os.Stat(path) // before opening: a FIFO would block
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIgnore {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}
