package shell

import (
	"crypto/rand"
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
		out = append(out, kv)
	}
	return append(out, set...)
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

// newMark is a variable by which descendants are known.
func newMark() string { return "COMPANION_CALL=" + rand.Text() }
