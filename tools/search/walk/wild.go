package walk

import "strings"

// wild matches a path against one pattern of an ignore file as git's wildmatch
// does with WM_PATHNAME: "*" and "?" stop at a slash, "**" between slashes does
// not, "[!a-z]" and "[[:digit:]]" are classes, a backslash takes the next byte
// as it is. Both are bytes, as git sees them.
func wild(pattern, path string) bool { return wildAt(pattern, path, true) == match }

// found is how a try ended. One that got past a later star and failed there
// need not be made again by an earlier one: that keeps matching from being
// exponential.
type found byte

const (
	match    found = iota
	fail           // before any star
	failStar       // behind a "*"
	failDeep       // behind a "**"
)

// wildAt: start says that p begins a component, where "**" has its own meaning.
func wildAt(p, s string, start bool) found {
	for len(p) > 0 {
		switch c := p[0]; c {
		case '*':
			n := 1
			for n < len(p) && p[n] == '*' {
				n++
			}
			rest := p[n:]
			if n >= 2 && start && (rest == "" || rest[0] == '/') {
				return deep(rest, s)
			}
			return star(rest, s)
		case '?':
			if s == "" || s[0] == '/' {
				return fail
			}
			p, s = p[1:], s[1:]
		case '[':
			ok, n := class(p, s)
			if !ok {
				return fail
			}
			p, s = p[n:], s[1:]
		default:
			if c == '\\' {
				if len(p) == 1 {
					return fail
				}
				p = p[1:]
			}
			if s == "" || s[0] != p[0] {
				return fail
			}
			start = p[0] == '/'
			p, s = p[1:], s[1:]
			continue
		}
		start = false
	}
	if s == "" {
		return match
	}
	return fail
}

// deep matches what follows a "**" that is a whole component.
func deep(rest, s string) found {
	if rest == "" {
		return match
	}
	rest = rest[1:]
	for {
		if r := wildAt(rest, s, true); r == match || r == failDeep {
			return r
		}
		i := strings.IndexByte(s, '/')
		if i < 0 {
			return failDeep
		}
		s = s[i+1:]
	}
}

// star matches what follows a "*" within one component.
func star(rest, s string) found {
	for i := 0; ; i++ {
		if r := wildAt(rest, s[i:], false); r != fail {
			return r
		}
		if i == len(s) || s[i] == '/' {
			return failStar
		}
	}
}

// class matches the first byte of s against the class that p begins with; n is
// the length of the class. One that does not end matches nothing.
func class(p, s string) (ok bool, n int) {
	if s == "" || s[0] == '/' {
		return false, 0
	}
	i, not := 1, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		not, i = true, i+1
	}
	c, hit := s[0], false
	for first := true; ; first = false {
		if i >= len(p) {
			return false, 0
		}
		if p[i] == ']' && !first {
			return hit != not, i + 1
		}
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i+2:], ":]"); end >= 0 {
				hit = hit || posix(p[i+2:i+2+end], c)
				i += end + 4
				continue
			}
		}
		lo, next, fine := member(p, i)
		if !fine {
			return false, 0
		}
		i = next
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			if hi, i, fine = member(p, i+1); !fine {
				return false, 0
			}
		}
		hit = hit || lo <= c && c <= hi
	}
}

func member(p string, i int) (c byte, next int, ok bool) {
	if p[i] == '\\' {
		i++
	}
	if i >= len(p) {
		return 0, i, false
	}
	return p[i], i + 1, true
}

func posix(name string, c byte) bool {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch name {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return graph && !lower && !upper && !digit
	case "print":
		return graph || c == ' '
	case "graph":
		return graph
	case "cntrl":
		return c < ' ' || c == 0x7f
	}
	return false
}
