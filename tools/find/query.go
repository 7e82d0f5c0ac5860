package find

// term is one word of a query.
type term struct {
	stem   string
	weight float64
}

// expand gives the words of a query, each once.
func expand(query string) []term {
	var out []term
	at := map[string]bool{}
	words(query, func(w string) {
		if st := stem(w); !at[st] {
			at[st] = true
			out = append(out, term{st, 1})
		}
	})
	return out
}
