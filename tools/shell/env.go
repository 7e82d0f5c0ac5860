package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// quiet gives the environment of commands: without keys, and such that nothing
// waits for a person, pages or colours.
func quiet(env, secrets []string) []string {
	set := []string{
		"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true",
		"DEBIAN_FRONTEND=noninteractive",
	}
	out := make([]string, 0, len(env)+len(set))
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || isSecret(name) || slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, name) }) {
			continue
		}
		if slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") }) {
			continue
		}
		if strings.EqualFold(name, "PATH") {
			kv = name + "=" + absolute(kv[len(name)+1:])
		}
		out = append(out, kv)
	}
	return append(out, set...)
}

// drawn is env for a command with a terminal.
func drawn(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "TERM=") })
	return append(out, "TERM=xterm-256color")
}

// absolute drops the folders of a PATH that are relative, such as ".": in the
// workspace they would let a repository's file be the ls that needs no yes.
func absolute(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(d string) bool { return !filepath.IsAbs(d) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// isSecret tells whether a variable is called as keys are (protocol.md: the
// vendors' usual variables end in _API_KEY).
func isSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"_API_KEY", "_APIKEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_ACCESS_KEY", "_PRIVATE_KEY", "_PASSWORD", "_PASSPHRASE", "_CREDENTIALS"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
