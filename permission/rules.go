package permission

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"companion/tools"
)

// Action of a rule.
type Action string

// Actions.
const (
	Allow Action = "allow"
	Ask   Action = "ask"
	Deny  Action = "deny"
)

// Rule is one line of the setting permissions.rules. It matches an effect when
// every field that is given does.
type Rule struct {
	Effect tools.EffectKind // "" = every effect
	Tool   string           // Spec.Full() or a glob of it; "" = every tool
	// Pattern depends on the effect: read and write take a doublestar glob
	// from a root (absolute and ~ allowed), command takes words of which a last
	// " *" stands for none or more, network a glob of the host, external a glob
	// of the tool. "" = everything.
	Pattern string
	Action  Action
	Reason  string // shown where the rule decides
}

// Rules in the order of their layers: a deny anywhere wins, else the last that
// matches. A nil Rules leaves everything to the mode.
type Rules []Rule

// match gives what the rules say of one effect of a tool; ok is false when no
// rule matches. Commands go through matchCommand instead.
func (rs Rules) match(tool string, fits func(Rule) bool) (found Rule, ok bool) {
	for _, r := range rs {
		if r.Tool != "" && !globs(r.Tool, tool) || !fits(r) {
			continue
		}
		if found.Action != Deny {
			found, ok = r, true
		}
	}
	return found, ok
}

func globs(pattern, s string) bool {
	ok, err := doublestar.Match(pattern, s)
	return err == nil && ok
}

// fitsPath tells whether a rule's pattern names a canonical path.
func (r Rule) fitsPath(kind tools.EffectKind, path string, roots []string) bool {
	if r.Effect != "" && r.Effect != kind {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	pattern := filepath.ToSlash(r.Pattern)
	slashed := filepath.ToSlash(path)
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return r.Action == Deny // a deny that cannot be read holds
		}
		pattern = filepath.ToSlash(home) + "/" + rest
	}
	if strings.HasPrefix(pattern, "/") || filepath.IsAbs(r.Pattern) {
		return globs(pattern, slashed)
	}
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && filepath.IsLocal(rel) && globs(strings.TrimPrefix(pattern, "./"), filepath.ToSlash(rel)) {
			return true
		}
	}
	return false
}

// fitsCommand tells whether a rule's pattern names a simple command.
func (r Rule) fitsCommand(words []string) bool {
	if r.Effect != "" && r.Effect != tools.Command {
		return false
	}
	if r.Pattern == "" || r.Pattern == "*" {
		return true
	}
	if r.Effect == "" {
		return false // a pattern without an effect speaks of paths
	}
	want := strings.Fields(r.Pattern)
	open := len(want) > 1 && want[len(want)-1] == "*"
	if open {
		want = want[:len(want)-1]
	}
	if len(words) < len(want) || !open && len(words) != len(want) {
		return false
	}
	for i, w := range want {
		named := globs(w, words[i]) || w == words[i]
		if i == 0 && r.Action == Deny { // an allow must not let ./git pass for git
			named = named || w == filepath.Base(words[0])
		}
		if !named {
			return false
		}
	}
	return true
}

func (r Rule) fitsName(kind tools.EffectKind, name string) bool {
	if r.Effect != "" && r.Effect != kind {
		return false
	}
	return r.Pattern == "" || r.Effect != "" && globs(r.Pattern, name)
}

// secret tells whether a path is one whose content is denied to read by
// default: environment files and private keys (tools.md, Permission).
func secret(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	for _, sample := range []string{".example", ".sample", ".template", ".dist"} {
		if strings.HasSuffix(base, sample) {
			return false
		}
	}
	if base == ".env" || strings.HasPrefix(base, ".env.") {
		return true
	}
	for _, pattern := range []string{
		"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
		".netrc", "_netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc", "credentials.json", ".htpasswd",
	} {
		if globs(pattern, base) {
			return true
		}
	}
	dir := strings.ToLower(filepath.ToSlash(filepath.Dir(path)))
	if strings.HasSuffix(dir, "/.ssh") && !strings.HasSuffix(base, ".pub") && base != "config" && base != "known_hosts" {
		return true
	}
	return strings.HasSuffix(dir, "/.aws") || strings.HasSuffix(dir, "/.gnupg")
}

// steersPrograms tells whether a path below a root lies in a folder, or is one,
// whose files name commands that git, the editor or companion runs later: a
// write there is worth a command. git refuses git~1 for the same reason, the
// short name of .git on Windows.
func steersPrograms(path string, roots []string) bool {
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		for _, name := range strings.Split(strings.ToLower(filepath.ToSlash(rel)), "/") {
			if name == ".git" || name == "git~1" || name == ".vscode" || name == ".companion" {
				return true
			}
		}
	}
	return false
}
