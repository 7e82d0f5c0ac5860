package walk

import "strings"

// A rule is one line of an ignore file.
type rule struct {
	prefix   string // of an anchored pattern: what stands before the first wildcard, compared on its own
	pattern  string // the rest, without "!", the slash of the root and that of folders
	kind     kind
	negated  bool // "!": what it matches is taken back in
	dirOnly  bool
	anchored bool // matched against the path from the ignore file's folder, else against the name
}

// wildcards are the bytes that make a line more than a name.
const wildcards = `*?[\`

// kind says how a pattern is compared; the first two are what most lines are.
type kind byte

const (
	literal kind = iota
	suffix       // "*" and something without wildcards
	general
)

// parse gives the rules of an ignore file, in its order.
func parse(text string) []rule {
	var out []rule
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if r, ok := parseLine(strings.TrimSuffix(line, "\r")); ok {
			out = append(out, r)
		}
	}
	return out
}

func parseLine(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	for strings.HasSuffix(line, " ") && !escaped(line) {
		line = line[:len(line)-1]
	}
	var r rule
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.negated, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.dirOnly, line = true, rest
	}
	if line == "" {
		return rule{}, false
	}
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	switch {
	case !strings.ContainsAny(line, wildcards):
		r.kind = literal
	case line[0] == '*' && len(line) > 1 && !r.anchored && !strings.ContainsAny(line[1:], wildcards):
		r.kind, line = suffix, line[1:]
	default:
		r.kind = general
		if r.anchored { // git cuts there too, so that "f**/x" begins with a "**"
			i := strings.IndexAny(line, wildcards)
			r.prefix, line = line[:i], line[i:]
		}
	}
	r.pattern = line
	return r, true
}

// escaped tells whether the last byte of a line stands behind a backslash that
// is not one of a pair.
func escaped(line string) bool {
	n := 0
	for i := len(line) - 2; i >= 0 && line[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// matches takes the path from the ignore file's folder, and its last part.
func (r *rule) matches(path, name string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if !r.anchored {
		path = name
	}
	switch r.kind {
	case literal:
		return path == r.pattern
	case suffix:
		return strings.HasSuffix(path, r.pattern)
	}
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && wild(r.pattern, rest)
}

// A frame is the ignore file of one folder, or one of the files that hold for
// the whole of a repository; up is what counts where it says nothing.
type frame struct {
	up    *frame
	base  int // length of the folder's path from the top, with its slash
	rules []rule
}

// ignored takes the path from the top.
func (f *frame) ignored(path string, dir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for ; f != nil; f = f.up {
		for i := len(f.rules) - 1; i >= 0; i-- {
			if r := &f.rules[i]; r.matches(path[f.base:], name, dir) {
				return !r.negated
			}
		}
	}
	return false
}
