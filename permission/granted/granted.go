package granted

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"companion/permission"
	"companion/permission/paths"
	"companion/permission/program"
	"companion/tools"
)

// Store keeps the rules of each thread. The zero value is empty.
type Store struct {
	mu    sync.Mutex
	rules map[string]permission.Rules
}

// Rules of a thread, in the order in which they were given.
func (s *Store) Rules(thread string) permission.Rules {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rules[thread])
}

// Add gives a thread more rules.
func (s *Store) Add(thread string, rules permission.Rules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules == nil {
		s.rules = map[string]permission.Rules{}
	}
	for _, r := range rules {
		if !slices.Contains(s.rules[thread], r) {
			s.rules[thread] = append(s.rules[thread], r)
		}
	}
}

// Forget drops the rules of a thread.
func (s *Store) Forget(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rules, thread)
}

// Wish is what a thread is to be allowed. Paths are canonical and absolute.
type Wish struct{ Paths, Hosts, Commands []string }

// Rules are the rules of a wish, and what each allows in words; wrong says what
// cannot be granted, and why.
func Rules(w Wish) (rules permission.Rules, words []string, wrong string) {
	for _, p := range w.Paths {
		if wrong := pathWrong(p); wrong != "" {
			return nil, nil, wrong
		}
		glob := escaped(filepath.ToSlash(p))
		for _, kind := range []tools.EffectKind{tools.Read, tools.Write} {
			rules = append(rules,
				permission.Rule{Effect: kind, Pattern: glob, Action: permission.Allow, Below: p},
				permission.Rule{Effect: kind, Pattern: glob + "/**", Action: permission.Allow, Below: p})
		}
		words = append(words, "read and change "+p+" and what lies below it")
	}
	for _, h := range w.Hosts {
		if !hostForm(h) {
			return nil, nil, fmt.Sprintf("%q is no host: write it as api.example.com or *.example.com, without scheme, port and path; a * stands only before two parts or more.", h)
		}
		rules = append(rules, permission.Rule{Effect: tools.Network, Pattern: strings.ToLower(h), Action: permission.Allow})
		words = append(words, "reach "+strings.ToLower(h))
	}
	for _, c := range w.Commands {
		c = strings.Join(strings.Fields(c), " ")
		if wrong := commandWrong(c); wrong != "" {
			return nil, nil, wrong
		}
		rules = append(rules, permission.Rule{Effect: tools.Command, Pattern: c, Action: permission.Allow})
		words = append(words, "run "+c)
	}
	return rules, words, ""
}

func pathWrong(p string) string {
	home, err := os.UserHomeDir()
	switch {
	case !filepath.IsAbs(p):
		return fmt.Sprintf("%q is no path of a file or folder.", p)
	case filepath.Dir(p) == p, err == nil && paths.Inside(home, []string{p}):
		return fmt.Sprintf("%s is more than one may be granted at once: name the folders that are needed.", p)
	}
	return ""
}

// escaped is a path as a glob that matches it alone.
func escaped(path string) string {
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var hostName = regexp.MustCompile(`^(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$`)

func hostForm(h string) bool {
	if net.ParseIP(h) != nil {
		return true
	}
	rest, wild := strings.CutPrefix(h, "*.")
	return hostName.MatchString(h) && (!wild || strings.Contains(rest, "."))
}

// runsOthers tells whether a program runs whatever it is given: shells, and what
// gives other rights.
func runsOthers(word string) bool {
	return slices.Contains([]string{
		"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "fish", "pwsh", "powershell", "cmd", "busybox", "toybox", "source", ".", "eval", "exec",
		"sudo", "doas", "su", "pkexec", "runuser", "env", "xargs", "parallel", "nohup", "setsid", "timeout", "watch", "find", "fd", "chroot", "unshare", "nsenter",
	}, program.Name(word))
}

// commandWrong says why a pattern of a command is not granted. One that ends in
// a * has to say what the command does, as what "Always allow" proposes.
func commandWrong(c string) string {
	words := strings.Fields(c)
	if len(words) == 0 {
		return "A command is empty."
	}
	last := words[len(words)-1] == "*"
	if last {
		words = words[:len(words)-1]
	}
	if len(words) == 0 || strings.ContainsAny(strings.Join(words, " "), "*?[{") {
		return fmt.Sprintf("%q: only the last word may be *, and not the only one.", c)
	}
	if last && (runsOthers(words[0]) || program.Prefix(words) == "") {
		return fmt.Sprintf("%q reaches further than it says: name the command whole, or with the words that say what it does before the *.", c)
	}
	return ""
}
