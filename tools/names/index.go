package names

import "strings"

// Index finds a place by a name as a model writes it.
type Index struct {
	exact   map[string]int
	spelled map[string]int      // by Spelling; several = more than one place
	spaces  map[string]struct{} // spellings of namespaces
}

// several stands in Index.spelled for a spelling that leads to more than one
// place.
const several = -1

// NewIndex is an empty one, with room for n names.
func NewIndex(n int) *Index {
	return &Index{make(map[string]int, n), make(map[string]int, n), map[string]struct{}{}}
}

// Add leads a name, and its spellings that nothing else has, to place i ≥ 0.
func (x *Index) Add(namespace, name string, i int) {
	full := Full(namespace, name)
	x.exact[full] = i
	spelling := Spelling(full)
	if other, taken := x.spelled[spelling]; taken && other != i {
		i = several
	}
	x.spelled[spelling] = i
	if namespace != "" {
		x.spaces[Spelling(namespace)] = struct{}{}
	}
}

// Exact is the place of a name as it was added; negative = none.
func (x *Index) Exact(full string) int {
	if i, ok := x.exact[full]; ok {
		return i
	}
	return several
}

// Find is the place of a name exactly, else of "ns__name", else of a spelling
// of it, else of one in which the namespace stands twice; each only where it
// leads to one place. Negative = none.
func (x *Index) Find(asked string) int {
	if i, ok := x.exact[asked]; ok {
		return i
	}
	if i := x.flat(asked); i >= 0 {
		return i
	}
	spelling := Spelling(asked)
	if i, ok := x.spelled[spelling]; ok {
		return i
	}
	for p := 1; 2*p+1 < len(spelling); p++ {
		if spelling[p] != '_' || spelling[2*p+1] != '_' || spelling[:p] != spelling[p+1:2*p+1] {
			continue
		}
		if _, is := x.spaces[spelling[:p]]; !is {
			continue
		}
		if i, ok := x.spelled[spelling[p+1:]]; ok {
			return i
		}
	}
	return several
}

// flat is the place of "ns__name", wherever in it the namespace ends.
func (x *Index) flat(asked string) int {
	found := several
	for from := 0; ; {
		at := strings.Index(asked[from:], "__")
		if at < 0 {
			return found
		}
		at += from
		if i, ok := x.exact[asked[:at]+"."+asked[at+2:]]; ok {
			if found >= 0 && found != i {
				return several
			}
			found = i
		}
		from = at + 1
	}
}
