package find

// term is one word of a query, or one like it.
type term struct {
	stem   string
	weight float64
}

// expand gives the words of a query, each once with the words that are like it,
// and two neighbours as one ("back up" also asks for "backup").
func expand(query string, like map[string][]string, worth float64) [][]term {
	var out [][]term
	at := map[string]bool{}
	last := ""
	words(query, func(w string) {
		if both := stem(last + w); last != "" && !at[both] {
			at[both] = true
			out = append(out, []term{{both, 1}})
		}
		last = w
		st := stem(w)
		if at[st] {
			return
		}
		at[st] = true
		group := []term{{st, 1}}
		for _, other := range like[st] {
			group = append(group, term{other, worth})
		}
		out = append(out, group)
	})
	return out
}
