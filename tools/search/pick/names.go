package pick

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// special are the characters by which a name becomes a pattern.
const special = `*?[]{}\`

// Literally cuts a pattern in two: the components from its beginning that are
// names of what is there below dir, whatever characters they hold, or hold none
// of a pattern; and the rest.
func Literally(dir, pattern string) (name, rest string) {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if part == "" || part == "." {
			continue
		}
		next := path.Join(name, part)
		if !exists(filepath.Join(dir, filepath.FromSlash(next))) { // a pattern, or a name in another Unicode form
			return name, strings.Join(parts[i:], "/")
		}
		name = next
	}
	return name, ""
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Glob matches paths with slashes. A pattern without a slash is matched
// against the last part, at any depth.
type Glob struct {
	patterns []string // any of them
	base     bool
	unicode  bool // not all ASCII: compared in one Unicode form
}

// NewGlob reads a pattern. What stands in brackets is also taken as it is
// written, and a pattern that is none is a name: "[[...slug]]" is no range.
func NewGlob(pattern string) Glob {
	pattern = strings.TrimPrefix(pattern, "./")
	if rest, ok := strings.CutSuffix(pattern, "/"); ok {
		pattern = rest + "/**"
	}
	g := Glob{base: !strings.Contains(pattern, "/")}
	for i := range len(pattern) {
		g.unicode = g.unicode || pattern[i] >= utf8.RuneSelf
	}
	if g.unicode {
		pattern = norm.NFC.String(pattern)
	}
	valid := doublestar.ValidatePattern(pattern)
	if valid {
		g.patterns = append(g.patterns, pattern)
	}
	if strings.ContainsAny(pattern, "[]") || !valid {
		if names := escape(pattern, "[]"); doublestar.ValidatePattern(names) {
			g.patterns = append(g.patterns, names)
		} else {
			g.patterns = append(g.patterns, escape(pattern, `[]{}\`))
		}
	}
	return g
}

// Here is the pattern for files of the folder itself, not of those below.
func (g Glob) Here() Glob {
	g.base = false
	return g
}

// escape makes characters stand for themselves.
func escape(pattern, chars string) string {
	var b strings.Builder
	for i := range len(pattern) {
		if strings.IndexByte(chars, pattern[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// Matches takes a path with slashes.
func (g Glob) Matches(rel string) bool {
	if g.base {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	if g.unicode {
		rel = norm.NFC.String(rel)
	}
	for _, p := range g.patterns {
		if ok, err := doublestar.Match(p, rel); err == nil && ok {
			return true
		}
	}
	return false
}

// AsksHidden tells whether a pattern names something that begins with a dot.
func AsksHidden(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "/") {
		if len(part) > 1 && part[0] == '.' && part != ".." || strings.HasPrefix(part, "{.") {
			return true
		}
	}
	return false
}

// Filter narrows a search to names. The zero value takes all.
type Filter struct {
	kinds []string // globs of the last part
	globs []Glob
	not   bool // globs name what is left out
	from  string
}

// NewFilter takes a glob, which counts from dir, and the globs of a kind. from is
// the path of dir from the working folder with a slash at its end, from which
// the glob may count too; "" = the same folder, or outside.
func NewFilter(dir, from, pattern string, kinds []string) Filter {
	f := Filter{kinds: kinds, from: from}
	pattern, f.not = strings.CutPrefix(pattern, "!")
	if pattern == "" {
		return f
	}
	if list := several(pattern); list != nil {
		for _, p := range list {
			f.globs = append(f.globs, NewGlob(p))
		}
		return f
	}
	name, rest := Literally(dir, pattern)
	switch {
	case !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") && rest != "":
		f.globs = []Glob{NewGlob(pattern)}
	case rest == "":
		f.globs = []Glob{{patterns: []string{escape(name, special), escape(name, special) + "/**"}}}
		if !strings.Contains(name, "/") {
			f.globs = append(f.globs, NewGlob(pattern)) // a file of that name anywhere
		}
	case name == "":
		f.globs = []Glob{NewGlob(pattern)}
	default:
		f.globs = []Glob{NewGlob(escape(name, special) + "/" + rest)}
	}
	return f
}

// several takes "*.ts, *.tsx" apart; nil = it is one pattern.
func several(pattern string) []string {
	list := strings.FieldsFunc(pattern, func(r rune) bool { return r == ',' || r == ' ' })
	if len(list) < 2 || strings.ContainsAny(pattern, "{}") {
		return nil
	}
	for _, p := range list {
		if !strings.Contains(p, "*") {
			return nil // a name with a comma or a blank
		}
	}
	return list
}

// Takes tells of a path with slashes from the folder.
func (f Filter) Takes(rel string) bool {
	if len(f.kinds) > 0 && !kindOf(f.kinds, rel[strings.LastIndexByte(rel, '/')+1:]) {
		return false
	}
	if len(f.globs) == 0 {
		return true
	}
	hit := false
	for _, g := range f.globs {
		hit = hit || g.Matches(rel) || f.from != "" && !g.base && g.Matches(f.from+rel)
	}
	return hit != f.not
}

// kindOf compares a name with globs that are a name or "*" and an ending.
func kindOf(globs []string, name string) bool {
	for _, g := range globs {
		if g == name || g[0] == '*' && strings.HasSuffix(name, g[1:]) {
			return true
		}
	}
	return false
}

// Names are globs of last parts that every file which the filter takes has; none
// = not known.
func (f Filter) Names() []string {
	if len(f.kinds) > 0 || f.not || len(f.globs) != 1 || len(f.globs[0].patterns) != 1 || f.globs[0].unicode {
		return f.kinds
	}
	p := f.globs[0].patterns[0]
	p = p[strings.LastIndexByte(p, '/')+1:]
	head, list, has := strings.Cut(p, "{")
	endings := []string{""}
	if has {
		inner, ok := strings.CutSuffix(list, "}")
		if !ok {
			return nil
		}
		endings = strings.Split(inner, ",")
	}
	var out []string
	for _, e := range endings {
		whole := head + e
		if whole == "" || strings.ContainsAny(strings.TrimPrefix(whole, "*"), special+",") || whole == "*" {
			return nil
		}
		out = append(out, whole)
	}
	return out
}
