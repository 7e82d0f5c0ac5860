package names

// Index finds a place by a name as a model writes it.
type Index struct {
	exact   map[string]int
	spelled map[string]int // by Spelling and by "ns__name"; several = more than one place
}

// several stands in Index.spelled for a spelling that leads to more than one
// place.
const several = -1

// NewIndex is an empty one, with room for n names.
func NewIndex(n int) *Index { return &Index{make(map[string]int, n), make(map[string]int, 2*n)} }

// Add leads a name, and its spellings that nothing else has, to place i ≥ 0.
func (x *Index) Add(namespace, name string, i int) {
	full := Full(namespace, name)
	x.exact[full] = i
	x.lead(Spelling(full), i)
	if namespace != "" {
		x.lead(namespace+"__"+name, i)
		x.lead(Spelling(namespace+"."+full), i) // the namespace repeated in the name
	}
}

func (x *Index) lead(spelling string, i int) {
	if other, taken := x.spelled[spelling]; taken && other != i {
		i = several
	}
	x.spelled[spelling] = i
}

// Exact is the place of a name as it was added; negative = none.
func (x *Index) Exact(full string) int {
	if i, ok := x.exact[full]; ok {
		return i
	}
	return -1
}

// Find is the place of a name exactly, else of "ns__name", else that of a
// spelling, each where it leads to one place only; negative = none.
func (x *Index) Find(asked string) int {
	if i, ok := x.exact[asked]; ok {
		return i
	}
	if i, ok := x.spelled[asked]; ok {
		return i
	}
	if i, ok := x.spelled[Spelling(asked)]; ok {
		return i
	}
	return -1
}
