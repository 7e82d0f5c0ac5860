package find

import (
	"slices"
	"strings"

	"companion/tools"
)

// Guess is a namespace that a message may be about, with its best tools; or,
// with Namespace "", one tool without a namespace.
type Guess struct {
	Namespace string
	Tools     []string // full names, the best first, at most 3
}

// Bounds of guessing, set on the tuning half of testdata.
const (
	mostGuesses  = 3
	guessTools   = 3
	guessBytes   = 1500 // of a message: its beginning says what is wanted
	guessRanks   = 24   // tools looked at
	guessFloor   = 1.6  // of what a word that one tool has is worth
	guessNamed   = 0.9  // the same, where the message has the name of the namespace
	guessNearest = 0.55 // of the best guess's score
)

// Likely gives at most 3 namespaces (or tools without one) that a person's
// message may be about, the likeliest first; none where too little of it fits.
func (ix *Index) Likely(message string) []Guess {
	if len(message) > guessBytes {
		message = strings.ToValidUTF8(message[:guessBytes], "")
	}
	hits := ix.rank(message, guessRanks)
	if len(hits) == 0 {
		return nil
	}
	best, said := hits[0].Score, stems(message)
	var out []Guess
	at := map[string]int{}
	for _, h := range hits {
		key := h.Spec.Namespace
		if key == "" {
			key = "." + h.Spec.Name
		}
		if i, ok := at[key]; ok {
			if g := &out[i]; len(g.Tools) < guessTools {
				g.Tools = append(g.Tools, h.Spec.Full())
			}
			continue
		}
		floor := guessFloor
		if h.Spec.Namespace != "" && holds(said, h.Spec.Namespace) {
			floor = guessNamed
		}
		if len(out) == mostGuesses || h.Score < floor*ix.rare || h.Score < guessNearest*best {
			continue
		}
		at[key] = len(out)
		out = append(out, Guess{h.Spec.Namespace, []string{h.Spec.Full()}})
	}
	return out
}

// stems are those of a text's words.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	words(text, func(w string) { out[stem(w)] = true })
	return out
}

// holds: said has every word of name.
func holds(said map[string]bool, name string) bool {
	for w := range stems(name) {
		if !said[w] {
			return false
		}
	}
	return true
}

// Verbs are what the members of a namespace do: of each name the first word
// that neither the namespace has nor all the names begin with, in the order of
// members, each once. Of slack's slack_post_message it is "post".
func Verbs(members []tools.Spec) []string {
	own, split := map[string]bool{"api": true}, make([][]string, len(members))
	for i, s := range members {
		words(s.Namespace, func(w string) { own[w] = true })
		for _, w := range rest(s.Name) {
			if len(split[i]) > 0 || !own[w] {
				split[i] = append(split[i], w)
			}
		}
	}
	for len(members) > 1 && shared(split) {
		for i := range split {
			split[i] = split[i][1:]
		}
	}
	var out []string
	for i, s := range members {
		verb := s.Name
		if len(split[i]) > 0 {
			verb = split[i][0]
		}
		if !slices.Contains(out, verb) {
			out = append(out, verb)
		}
	}
	return out
}

func rest(name string) (out []string) {
	words(name, func(w string) { out = append(out, w) })
	return out
}

// shared: all begin with one word, and none is that word alone.
func shared(split [][]string) bool {
	for _, s := range split {
		if len(s) < 2 || s[0] != split[0][0] {
			return false
		}
	}
	return true
}
