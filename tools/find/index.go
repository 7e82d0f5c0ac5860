package find

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"companion/tools"
)

// BM25's constants (tools.md, Search).
const (
	k1 = 1.2
	b  = 0.75
)

// field is one part of a spec that is searched.
type field int

const (
	inName field = iota
	inNamespace
	inTitle
	inDescription
	inHint
	inProperty
	inPropertyText
	inNamespaceText
	fields
)

// weights are what was tuned, on the tuning half of testdata.
type weights struct {
	in    [fields]float64 // of a word by the field it stands in
	alike float64         // of a word that is like the query's
	cover float64         // of how many of the query's words a tool has
}

var tuned = weights{alike: 0.5, cover: 0.5, in: [fields]float64{
	inName: 3, inNamespace: 2, inTitle: 1, inDescription: 0.6, inHint: 2, inProperty: 0.25, inPropertyText: 0.1, inNamespaceText: 0.2,
}}

// Index finds tools by words. It does not change once it is built.
type Index struct {
	specs  []tools.Spec
	terms  map[string]int32 // stem → place in posts
	posts  [][]posting
	names  map[string][]int32 // every spelling of a name, in lower case
	groups map[string]int     // namespace → number of tools
	rare   float64            // the idf of a word that one tool has
	like   map[string][]string
	w      weights
}

// posting is what a term adds to the score of one tool.
type posting struct {
	tool  int32
	score float32
}

// Hit is a tool that was found. Score is BM25's; +Inf where the query is the
// tool's name.
type Hit struct {
	Spec  tools.Spec
	Score float64
}

// New builds the index of specs, in whose order hits of one score come; they
// must not change after. About 25 µs for each.
func New(specs []tools.Spec) *Index { return build(specs, tuned) }

// Search gives at most limit tools, the best first, ties by the order of New.
// Hits of one namespace come together, where the best of them stands. Names of
// tools in the query come before all others.
func (ix *Index) Search(query string, limit int) []Hit { return together(ix.rank(query, limit)) }

// Namespaces are those that the index knows, with the number of their tools; ""
// for tools without one.
func (ix *Index) Namespaces() map[string]int { return ix.groups }

// Len is the number of tools.
func (ix *Index) Len() int { return len(ix.specs) }

// Named gives the tools that go by name: full name, "ns__name", or a name
// alone, in any case.
func (ix *Index) Named(name string) []tools.Spec {
	var out []tools.Spec
	for _, i := range ix.names[strings.ToLower(strings.TrimSpace(name))] {
		out = append(out, ix.specs[i])
	}
	return out
}

// rank is Search without putting namespaces together.
func (ix *Index) rank(query string, limit int) []Hit {
	scores := make([]float64, len(ix.specs))
	best := make([]float64, len(ix.specs))   // of the words alike
	matched := make([]uint16, len(ix.specs)) // words of the query
	all := 0
	var touched []int32
	for _, group := range expand(query, ix.like, ix.w.alike) {
		touched = touched[:0]
		for _, t := range group {
			id, ok := ix.terms[t.stem]
			if !ok {
				continue
			}
			for _, p := range ix.posts[id] {
				if best[p.tool] == 0 {
					touched = append(touched, p.tool)
				}
				best[p.tool] = max(best[p.tool], t.weight*float64(p.score))
			}
		}
		for _, i := range touched {
			scores[i] += best[i]
			best[i] = 0
			matched[i]++
		}
		if len(touched) > 0 {
			all++
		}
	}
	for i, n := range matched {
		if n > 0 {
			scores[i] *= 1 + ix.w.cover*float64(n)/float64(all)
		}
	}
	for _, i := range ix.mentioned(query) {
		scores[i] = math.Inf(1)
	}
	var found []int32
	for i, s := range scores {
		if s > 0 {
			found = append(found, int32(i))
		}
	}
	slices.SortFunc(found, func(x, y int32) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(x, y))
	})
	out := make([]Hit, 0, min(limit, len(found)))
	for _, i := range found[:min(limit, len(found))] {
		out = append(out, Hit{ix.specs[i], scores[i]})
	}
	return out
}

// mentioned are the tools whose names stand in a query. A name of one word is
// one only where it is the whole query.
func (ix *Index) mentioned(query string) (out []int32) {
	const between = " \t\r\n,;:()\"'`"
	query = strings.Trim(strings.ToLower(query), between+".")
	for word := range strings.FieldsFuncSeq(query, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		if word = strings.Trim(word, "."); strings.ContainsAny(word, "_-.") || word == query {
			out = append(out, ix.names[word]...)
		}
	}
	return out
}

// together moves the hits of each namespace to the best of them.
func together(hits []Hit) []Hit {
	first := map[string]int{}
	for i, h := range hits {
		if _, ok := first[h.Spec.Namespace]; !ok {
			first[h.Spec.Namespace] = i
		}
	}
	slices.SortStableFunc(hits, func(x, y Hit) int {
		return cmp.Compare(first[x.Spec.Namespace], first[y.Spec.Namespace])
	})
	return hits
}
