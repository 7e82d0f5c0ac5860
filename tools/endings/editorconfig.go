package endings

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// editorconfig gives the properties of a file, as the specification at
// editorconfig.org (0.17) has it: files further in win, and later sections.
func editorconfig(read func(string) string, path string) map[string]string {
	out := map[string]string{}
	for _, dir := range above(path) {
		found, root := section(read(filepath.Join(dir, ".editorconfig")), relative(dir, path))
		for k, v := range found {
			if _, ok := out[k]; !ok {
				out[k] = v
			}
		}
		if root {
			break
		}
	}
	return out
}

// section gives what one file says of a path from its folder.
func section(content, rel string) (found map[string]string, root bool) {
	found = map[string]string{}
	inside, begun := false, false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' && strings.HasSuffix(line, "]") {
			begun, inside = true, matches(line[1:len(line)-1], rel)
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		k, v = strings.ToLower(strings.TrimSpace(k)), strings.ToLower(strings.TrimSpace(v))
		switch {
		case !begun && k == "root":
			root = v == "true"
		case inside:
			found[k] = v
		}
	}
	return found, root
}

func matches(glob, rel string) bool {
	re, err := regexp.Compile("^" + pattern(glob) + "$")
	return err == nil && re.MatchString(rel)
}

// pattern is a glob of .editorconfig as a regular expression.
func pattern(glob string) string {
	before := "(?:.*/)?"
	if i := strings.IndexByte(glob, '/'); i >= 0 {
		before, glob = "", strings.TrimPrefix(glob, "/")
	}
	return before + translate(glob)
}

// mostNumbers is the largest range {a..b} that is compared number by number.
const mostNumbers = 1_000

func translate(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '*':
			if strings.HasPrefix(glob[i:], "**") {
				b.WriteString(".*")
				i++
			} else {
				b.WriteString("[^/]*")
			}
		case '?':
			b.WriteString("[^/]")
		case '\\':
			if i+1 < len(glob) {
				i++
			}
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		case '[':
			end := class(glob[i:])
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			body := glob[i+1 : i+end]
			if cut, ok := strings.CutPrefix(body, "!"); ok {
				body = "^" + cut
			}
			b.WriteString("[" + strings.ReplaceAll(body, `[`, `\[`) + "]")
			i += end
		case '{':
			end := brace(glob[i:])
			if end < 0 {
				b.WriteString(`\{`)
				continue
			}
			b.WriteString(choice(glob[i+1 : i+end]))
			i += end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String()
}

// class is the offset of the bracket that closes the one at the start; -1 where
// it is none, or a slash stands between.
func class(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '/':
			return -1
		case s[i] == ']' && i > 1:
			return i
		}
	}
	return -1
}

func brace(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// choice is what stands between braces: a range of numbers, a list, or, with
// neither, the braces themselves.
func choice(body string) string {
	if low, high, ok := strings.Cut(body, ".."); ok {
		a, errA := strconv.Atoi(low)
		z, errZ := strconv.Atoi(high)
		if errA == nil && errZ == nil {
			if z-a > mostNumbers || a > z {
				return `[+-]?\d+`
			}
			all := make([]string, 0, z-a+1)
			for n := a; n <= z; n++ {
				all = append(all, strconv.Itoa(n))
			}
			return "(?:" + strings.Join(all, "|") + ")"
		}
	}
	parts := list(body)
	if len(parts) < 2 {
		return `\{` + translate(body) + `\}`
	}
	for i, p := range parts {
		parts[i] = translate(p)
	}
	return "(?:" + strings.Join(parts, "|") + ")"
}

// list splits at the commas that stand in no inner braces.
func list(body string) (out []string) {
	depth, from := 0, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, body[from:i]), i+1
			}
		}
	}
	return append(out, body[from:])
}
