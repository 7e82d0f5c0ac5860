package endings

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// gitattributes gives the attributes of a file in its repository, or below the
// outermost folder that has such a file where there is none: "set", "unset" or
// a value.
func gitattributes(read func(string) string, path string) map[string]string {
	dirs := above(path)
	for i, dir := range dirs {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			dirs = dirs[:i+1]
			break
		}
	}
	a := attributes{macros: map[string][]string{"binary": {"-diff", "-merge", "-text"}}, of: map[string]string{}}
	top := dirs[len(dirs)-1]
	for i := len(dirs) - 1; i >= 0; i-- { // the innermost has the last word
		a.file(read(filepath.Join(dirs[i], ".gitattributes")), relative(dirs[i], path))
	}
	a.file(read(filepath.Join(top, ".git", "info", "attributes")), relative(top, path))
	return a.of
}

type attributes struct {
	macros map[string][]string
	of     map[string]string
}

func (a *attributes) file(content, rel string) {
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest := head(line)
		if macro, ok := strings.CutPrefix(name, "[attr]"); ok {
			a.macros[macro] = strings.Fields(rest)
			continue
		}
		if applies(name, rel) {
			a.set(strings.Fields(rest), 0)
		}
	}
}

// head takes the pattern off a line; it may be quoted as in C.
func head(line string) (pattern, rest string) {
	if line[0] == '"' {
		for i := 1; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '"':
				if s, err := strconv.Unquote(line[:i+1]); err == nil {
					return s, line[i+1:]
				}
			}
		}
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], line[i:]
}

// applies matches a pattern as gitignore(5) has it, but for "!", and for a slash
// at its end, which never names a file.
func applies(pattern, rel string) bool {
	if strings.HasSuffix(pattern, "/") || rel == "" {
		return false
	}
	pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern)
	if !strings.Contains(pattern, "/") {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	ok, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), rel)
	return err == nil && ok
}

// set takes attributes in; a macro is one that stands for others, which git does
// not nest.
func (a *attributes) set(list []string, depth int) {
	for _, item := range list {
		name, value, valued := strings.Cut(item, "=")
		switch {
		case valued:
		case strings.HasPrefix(name, "-"):
			name, value = name[1:], "unset"
		case strings.HasPrefix(name, "!"):
			delete(a.of, name[1:])
			continue
		default:
			value = "set"
		}
		a.of[name] = value
		if value == "set" && depth == 0 {
			a.set(a.macros[name], 1)
		}
	}
}
