package command

import (
	"slices"
	"strings"

	"companion/permission/program"
)

// touches notes the files that the arguments of well-known commands write, and
// those whose content a command may read.
func (w *walker) touches(name string, words []Word) {
	args := words[1:]
	if w.unsure || len(args) == 0 {
		return
	}
	texts := Simple{Words: args}.Texts()
	for _, path := range program.Written(name, texts) {
		w.line.Touches = append(w.line.Touches, Touch{Path: path, Dirs: w.dirs, Write: true, Implied: true})
	}
	executes := name == "find" && slices.ContainsFunc(texts, func(a string) bool { return strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") })
	if program.NamesOnly(name) && !executes {
		return
	}
	reader := program.Reads(name)
	if name == "git" {
		reader = slices.ContainsFunc(args[:min(2, len(args))], func(a Word) bool {
			return slices.Contains([]string{"show", "diff", "blame", "grep", "cat-file", "log"}, a.Text)
		})
	}
	for _, a := range args {
		glob := a.Glob
		if spec, magic := program.Pathspec(a.Text); name == "git" && !strings.HasPrefix(a.Text, "-") && (magic || strings.ContainsAny(spec, "*?[")) {
			glob = strings.ContainsAny(spec, "*?[")
			a.Text = spec
		}
		for _, path := range candidates(a.Text) {
			w.line.Touches = append(w.line.Touches, Touch{Path: path, Dirs: w.dirs, Glob: glob, Implied: true, Reader: reader})
		}
	}
	if w.stdin != nil && w.stdin.Known && (name == "git" || name == "xargs") { // names of files and objects
		for _, a := range strings.Fields(w.stdin.Text) {
			for _, path := range candidates(a) {
				w.line.Touches = append(w.line.Touches, Touch{Path: path, Dirs: w.dirs, Implied: true, Reader: true})
			}
		}
	}
}

// candidates are the paths that an argument may name: itself, the value of an
// option, a file behind @, a revision's path.
func candidates(arg string) []string {
	var out []string
	add := func(s string) {
		if s != "" && !strings.HasPrefix(s, "-") && !strings.ContainsAny(s, "\n\x00") && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(arg)
	if _, value, ok := strings.Cut(arg, "="); ok {
		add(value)
	}
	if len(arg) > 2 && arg[0] == '-' && arg[1] != '-' {
		add(arg[2:])
	}
	if i := strings.IndexByte(arg, '@'); i >= 0 {
		add(arg[i+1:])
	}
	if i := strings.LastIndexByte(arg, ':'); i >= 0 {
		add(strings.TrimPrefix(arg[i+1:], "//"))
	}
	return out
}
