package permission

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"companion/permission/command"
	"companion/permission/paths"
	"companion/permission/program"
	"companion/tools"
)

// fit is how surely a rule names a command.
type fit int

const (
	no    fit = iota
	maybe     // words that are not known before the line runs might make it so
	yes
)

// names are what rules may call a tool: its full name, as models spell it, its
// aliases, and its namespace, which stands for all of its tools.
func names(s tools.Spec) []string {
	out := append([]string{s.Full()}, s.Aliases...)
	if ns := s.Namespace; ns != "" {
		flat := ns
		if s.Source == tools.MCP && !strings.HasPrefix(ns, "mcp__") {
			flat = "mcp__" + ns
		}
		out = append(out, ns, flat, ns+"__"+s.Name, flat+"__"+s.Name, flat+"."+s.Name)
	}
	return out
}

func (r Rule) fitsTool(s tools.Spec) bool {
	return r.Tool == "" || slices.ContainsFunc(names(s), func(n string) bool { return n == r.Tool || globs(r.Tool, n) })
}

// fitsCommand tells whether a rule's pattern names a simple command. An allow
// must name it exactly; a deny or an ask names it by whatever path, letter case
// or wrapping of git's own options.
func (r Rule) fitsCommand(s command.Simple) fit {
	switch {
	case r.Effect != "" && r.Effect != tools.Command || len(s.Words) == 0:
		return no
	case r.blanket():
		return yes
	case r.Effect == "":
		return no // a pattern without an effect speaks of paths
	}
	want := strings.Fields(r.Pattern)
	open := len(want) > 1 && want[len(want)-1] == "*"
	if open {
		want = want[:len(want)-1]
	}
	if r.Action == Allow {
		if s.Known() && allowed(want, open, s.Texts()) {
			return yes
		}
		return no
	}
	open = open || strings.HasSuffix(want[len(want)-1], "*") // rm* means rm x to who writes it
	best := named(want, open, s.Words)
	if stripped, sure := withoutGlobals(s.Words); len(want) > 1 && best != yes && len(stripped) < len(s.Words) {
		if f := named(want, open, stripped); f != no && (f == maybe || !sure) {
			best = maybe
		} else if f == yes {
			best = yes
		}
	}
	if link := resolved(s); best != yes && link != "" {
		words := slices.Clone(s.Words)
		words[0] = command.Word{Text: link, Known: true}
		best = max(best, named(want, open, words))
	}
	if best == no && sameFlags(want, s.Texts()) {
		best = maybe
	}
	return best
}

// blanket rules name every command.
func (r Rule) blanket() bool { return r.Pattern == "" || r.Pattern == "*" || r.Pattern == "**" }

// whole rules name one command with all its words.
func (r Rule) whole() bool {
	return !r.blanket() && !strings.ContainsAny(r.Pattern, "*?[{")
}

func allowed(want []string, open bool, words []string) bool {
	if len(words) < len(want) || !open && len(words) != len(want) {
		return false
	}
	for i, w := range want {
		if w != words[i] && !globs(w, words[i]) {
			return false
		}
	}
	return true
}

// named tells whether words are what a deny or an ask speaks of.
func named(want []string, open bool, words []command.Word) fit {
	for i, w := range want {
		if i >= len(words) {
			return no
		}
		got := words[i]
		if !got.Known {
			return maybe // it may be any number of words
		}
		if i == 0 {
			if !commandNamed(w, got.Text) {
				return no
			}
		} else if w != got.Text && !wildcard(w, got.Text) && !globs(w, got.Text) {
			return no
		}
	}
	if open || len(words) == len(want) {
		return yes
	}
	if slices.ContainsFunc(words[len(want):], func(w command.Word) bool { return !w.Known }) {
		return maybe
	}
	return no
}

// commandNamed compares a rule's first word with a command's.
func commandNamed(want, got string) bool {
	name := program.Name(got)
	lower := strings.ToLower(want)
	return want == got || wildcard(want, got) || lower == name || wildcard(lower, name) || program.Name(want) == name
}

// wildcard matches a pattern whose * also stands for slashes, unlike in paths.
func wildcard(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}

// withoutGlobals drops the options between a command and its sub-command; sure
// says that it is known which of them take a value.
func withoutGlobals(words []command.Word) (out []command.Word, sure bool) {
	git := program.Name(words[0].Text) == "git"
	i := 1
	for ; i < len(words) && words[i].Known && strings.HasPrefix(words[i].Text, "-"); i++ {
		if git && slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"}, words[i].Text) {
			i++
		}
	}
	return append(slices.Clone(words[:1]), words[min(i, len(words)):]...), git
}

// resolved is the name of the program behind a command that is given as a path,
// when a link hides it.
func resolved(s command.Simple) string {
	first := s.Words[0]
	if !first.Known || !strings.Contains(first.Text, "/") {
		return ""
	}
	for _, dir := range s.Dirs {
		if real := paths.Canonical(paths.Join(dir, first.Text)); program.Name(real) != program.Name(first.Text) {
			return filepath.ToSlash(real)
		}
	}
	return ""
}

// sameFlags tells whether a command holds what a rule with flags names, in
// another order or grouped otherwise: rm -fr for rm -rf.
func sameFlags(want, words []string) bool {
	if len(want) < 2 || !commandNamed(want[0], words[0]) || !slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(w, "-") }) {
		return false
	}
	var letters string
	for _, w := range words[1:] {
		switch name, long := strings.CutPrefix(w, "--"); {
		case long && name != "":
			letters += name[:1] // --force is most often -f
		case strings.HasPrefix(w, "-"):
			letters += strings.ToLower(w[1:])
		}
	}
	for _, w := range want[1:] {
		switch {
		case strings.HasPrefix(w, "--"):
			if !slices.ContainsFunc(words, func(x string) bool { x, _, _ = strings.Cut(x, "="); return len(x) > 3 && strings.HasPrefix(w, x) }) &&
				(len(w) < 3 || !strings.Contains(letters, w[2:3])) {
				return false
			}
		case strings.HasPrefix(w, "-"):
			if !slices.Contains(words, w) && strings.Trim(strings.ToLower(w[1:]), letters) != "" {
				return false
			}
		case !slices.ContainsFunc(words[1:], func(x string) bool { return wildcard(w, x) }):
			return false
		}
	}
	return true
}

// caseless tells whether this system's file names ignore letter case.
func caseless() bool { return runtime.GOOS == "windows" || runtime.GOOS == "darwin" }
