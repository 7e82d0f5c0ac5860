package names

import "strings"

// Spelling is the form in which ways of writing one name meet: lower case, and
// every run of dots, hyphens and underscores one underscore. "Git.log",
// "git__log" and "GIT-log" are all "git_log".
func Spelling(name string) string {
	plain := true
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' && i > 0 && name[i-1] != '_'
	}
	if plain {
		return name
	}
	var out strings.Builder
	out.Grow(len(name))
	gap := false
	for _, c := range strings.ToLower(name) {
		if c == '.' || c == '-' || c == '_' {
			gap = true
			continue
		}
		if gap {
			out.WriteByte('_')
			gap = false
		}
		out.WriteRune(c)
	}
	if gap {
		out.WriteByte('_')
	}
	return out.String()
}

// Full is "namespace.name", or name where there is no namespace.
func Full(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "." + name
}

// Set is names that a person wrote: of tools, of aliases, and of namespaces as
// "NS" or "NS.*". "ns__name" is "ns.name"; case counts. The zero value holds
// none.
type Set map[string]struct{} // dotted

// NewSet keeps a list; blank entries are dropped.
func NewSet(list []string) Set {
	s := make(Set, len(list))
	for _, n := range list {
		if n = strings.TrimSuffix(strings.TrimSpace(n), ".*"); n != "" {
			s[dotted(n)] = struct{}{}
		}
	}
	return s
}

// Has tells whether a name is in the set.
func (s Set) Has(name string) bool {
	if len(s) == 0 || name == "" {
		return false
	}
	_, ok := s[dotted(name)]
	return ok
}

func dotted(name string) string { return strings.ReplaceAll(name, "__", ".") }
