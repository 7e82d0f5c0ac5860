package find

import (
	"encoding/json"
	"math"
	"strings"

	"companion/tools"
)

// builder gathers the words of all tools.
type builder struct {
	w       weights
	terms   map[string]int32  // stem → id
	seen    map[string]int32  // word → id or -1, so that each is stemmed once
	lens    [][fields]float32 // words of a tool's field
	entries []entry
	last    []int32 // by term: the place in entries of the tool at hand, plus 1
	begin   int     // of the entries of the tool at hand
	buf     []byte  // room for a word
}

// entry counts one term in the fields of one tool.
type entry struct {
	tool, term int32
	n          [fields]uint16
}

func build(specs []tools.Spec, w weights) *Index {
	bl := &builder{w: w, terms: map[string]int32{}, seen: map[string]int32{}, lens: make([][fields]float32, len(specs))}
	ix := &Index{specs: specs, names: make(map[string][]int32, 3*len(specs)), groups: map[string]int{}, like: synonyms(), w: w}
	texts := map[string][]int32{} // the words of a namespace are the same for all its members
	for i, s := range specs {
		bl.begin = len(bl.entries)
		bl.add(i, inName, s.Name)
		bl.add(i, inNamespace, s.Namespace)
		bl.add(i, inTitle, s.Title)
		bl.add(i, inDescription, s.Description)
		bl.add(i, inHint, s.SearchHint)
		bl.namespaceText(i, s, texts)
		bl.properties(i, s.Input)
		ix.groups[s.Namespace]++
		spell(ix.names, int32(i), s)
	}
	ix.terms, ix.posts, ix.rare = bl.terms, bl.postings(), idf(len(specs), 1)
	return ix
}

func (bl *builder) add(tool int, in field, text string) {
	if bl.w.in[in] == 0 || text == "" {
		return
	}
	bl.buf = scan(text, bl.buf, func(word []byte) {
		if id := bl.id(word); id >= 0 {
			bl.count(tool, in, id)
		}
	})
}

// id of a word's stem, -1 where it is idle.
func (bl *builder) id(word []byte) int32 {
	id, ok := bl.seen[string(word)]
	if ok {
		return id
	}
	if idle(string(word)) {
		bl.seen[string(word)] = -1
		return -1
	}
	st := stem(string(word))
	if id, ok = bl.terms[st]; !ok {
		id = int32(len(bl.last))
		bl.terms[st] = id
		bl.last = append(bl.last, 0)
	}
	bl.seen[string(word)] = id
	return id
}

func (bl *builder) count(tool int, in field, term int32) {
	at := int(bl.last[term]) - 1
	if at < bl.begin {
		at = len(bl.entries)
		bl.entries = append(bl.entries, entry{tool: int32(tool), term: term})
		bl.last[term] = int32(at + 1)
	}
	if n := &bl.entries[at].n[in]; *n < math.MaxUint16 {
		*n++
	}
	bl.lens[tool][in]++
}

func (bl *builder) namespaceText(tool int, s tools.Spec, texts map[string][]int32) {
	if bl.w.in[inNamespaceText] == 0 || s.NamespaceText == "" {
		return
	}
	ids, ok := texts[s.Namespace]
	if !ok {
		bl.buf = scan(s.NamespaceText, bl.buf, func(word []byte) {
			if id := bl.id(word); id >= 0 {
				ids = append(ids, id)
			}
		})
		texts[s.Namespace] = ids
	}
	for _, id := range ids {
		bl.count(tool, inNamespaceText, id)
	}
}

func (bl *builder) properties(tool int, raw json.RawMessage) {
	if bl.w.in[inProperty] == 0 {
		return
	}
	r := reader{
		raw:  raw,
		name: func(s string) { bl.add(tool, inProperty, s) },
		text: func(s string) { bl.add(tool, inPropertyText, s) },
	}
	r.schema(0)
}

// postings turns counts into scores: BM25F, whose fields are each normalised by
// their own mean length.
func (bl *builder) postings() [][]posting {
	var mean [fields]float64
	for _, l := range bl.lens {
		for f := range fields {
			mean[f] += float64(l[f]) / float64(len(bl.lens))
		}
	}
	in := make([]int32, len(bl.last)) // tools that a term stands in
	for _, e := range bl.entries {
		in[e.term]++
	}
	out := make([][]posting, len(in))
	worth := make([]float64, len(in))
	for term, n := range in {
		out[term], worth[term] = make([]posting, 0, n), idf(len(bl.lens), int(n))
	}
	for _, e := range bl.entries {
		tf := 0.0
		for f := range fields {
			if e.n[f] > 0 {
				tf += bl.w.in[f] * float64(e.n[f]) / (1 - b + b*float64(bl.lens[e.tool][f])/mean[f])
			}
		}
		out[e.term] = append(out[e.term], posting{e.tool, float32(worth[e.term] * tf * (k1 + 1) / (tf + k1))})
	}
	return out
}

// idf is what a word is worth that n of all tools have.
func idf(all, n int) float64 {
	return math.Log(1 + (float64(all)-float64(n)+0.5)/(float64(n)+0.5))
}

// spell notes every way to write a tool's name.
func spell(names map[string][]int32, i int32, s tools.Spec) {
	all := []string{s.Name, s.Full()}
	if s.Namespace != "" {
		all = append(all, s.Namespace+"__"+s.Name)
	}
	seen := ""
	for _, n := range append(all, s.Aliases...) {
		n = strings.ToLower(n)
		if n != seen {
			names[n] = append(names[n], i)
		}
		seen = n
	}
}
