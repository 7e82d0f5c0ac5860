package permission

import (
	"os"
	"path/filepath"
	"slices"
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
	Effect tools.EffectKind `json:"effect,omitempty"` // "" = every effect
	// Tool is a full name, an alias, a namespace or a glob of one; "" = every tool.
	Tool string `json:"tool,omitempty"`
	// Pattern depends on the effect: read and write take a doublestar glob
	// from a root (absolute and ~ allowed), command takes words of which a last
	// " *" stands for none or more, network a glob of the host, external a glob
	// of the tool. "" = everything.
	Pattern string `json:"pattern,omitempty"`
	Action  Action `json:"action"`
	Reason  string `json:"reason,omitempty"` // shown where the rule decides
	// Below is the canonical path that a person granted with all below it: of
	// that, neither secrets nor what steers other programs are covered.
	Below string `json:"-"`
}

// Rules in the order of their layers: a deny anywhere wins, else the last that
// matches. A nil Rules leaves everything to the mode.
type Rules []Rule

// match gives what the rules say of one effect of a tool; ok is false when no
// rule matches. Commands are matched word by word, see ruleFor.
func (rs Rules) match(spec tools.Spec, fits func(Rule) bool) (found Rule, ok bool) {
	for _, r := range rs {
		if !r.fitsTool(spec) || !fits(r) {
			continue
		}
		if found.Action != Deny {
			found, ok = r, true
		}
	}
	return found, ok
}

// exact leaves out what allows hosts by wildcards: an address of a private
// network has to be named.
func (rs Rules) exact() Rules {
	return slices.DeleteFunc(slices.Clone(rs), func(r Rule) bool {
		return (r.Effect == tools.Network || r.Effect == "") && r.Action == Allow && (r.Pattern == "" || strings.ContainsAny(r.Pattern, "*?[{"))
	})
}

// denied says which rule forbids a tool as a whole: one that speaks of nothing
// but the tool or its namespace, or of every call of an external one.
func (rs Rules) denied(s tools.Spec) (Rule, bool) {
	i := slices.IndexFunc(rs, func(r Rule) bool {
		switch {
		case r.Action != Deny || !r.fitsTool(s):
			return false
		case r.Effect == "":
			return r.blanket()
		case r.Effect != tools.External || s.Source == "" || s.Source == tools.BuiltIn:
			return false
		}
		return r.blanket() || slices.ContainsFunc(names(s), func(n string) bool { return n == r.Pattern || globs(r.Pattern, n) })
	})
	if i < 0 {
		return Rule{}, false
	}
	return rs[i], true
}

func globs(pattern, s string) bool {
	ok, err := doublestar.Match(pattern, s)
	return err == nil && ok
}

// fitsPath tells whether a rule's pattern names a canonical path. Where file
// names ignore letter case, so does a denial.
func (r Rule) fitsPath(kind tools.EffectKind, path string, roots []string) bool {
	if r.Effect != "" && r.Effect != kind {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	pattern := filepath.ToSlash(r.Pattern)
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return r.Action == Deny // a deny that cannot be read holds
		}
		pattern = filepath.ToSlash(home) + "/" + rest
	}
	same := globs
	if r.Action == Deny && caseless() {
		same = func(pattern, s string) bool { return globs(strings.ToLower(pattern), strings.ToLower(s)) }
	}
	if r.Action == Deny && !doublestar.ValidatePattern(pattern) {
		return true // a deny that cannot be read holds
	}
	if strings.HasPrefix(pattern, "/") || filepath.IsAbs(r.Pattern) {
		return same(pattern, filepath.ToSlash(path))
	}
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && filepath.IsLocal(rel) && same(strings.TrimPrefix(pattern, "./"), filepath.ToSlash(rel)) {
			return true
		}
	}
	return false
}

// fitsName tells whether a rule's pattern names a host or a tool.
func (r Rule) fitsName(kind tools.EffectKind, names ...string) bool {
	if r.Effect != "" && r.Effect != kind {
		return false
	}
	return r.Pattern == "" || r.Effect != "" && slices.ContainsFunc(names, func(n string) bool {
		return n == r.Pattern || globs(r.Pattern, n) || r.Action == Deny && wildcard(strings.ToLower(r.Pattern), strings.ToLower(n))
	})
}
