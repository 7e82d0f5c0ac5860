package find

import "strings"

// stem gives the English stem of a lower-case word by the Porter2 algorithm
// (snowballstem.org, English), without its lists of exceptional words. Words of
// other alphabets and of fewer than three letters stay.
func stem(word string) string {
	if len(word) < 3 || !ascii(word) {
		return word
	}
	w := mark([]byte(word))
	r1 := region(w, 0)
	for _, head := range [...]string{"gener", "commun", "arsen"} { // Porter2's own exceptions to R1
		if strings.HasPrefix(word, head) {
			r1 = len(head)
		}
	}
	r2 := region(w, r1)
	w = plural(w)
	w = past(w, r1)
	if n := len(w); n > 2 && (w[n-1] == 'y' || w[n-1] == 'Y') && !vowel(w, n-2) {
		w[n-1] = 'i'
	}
	w = suffix(w, r1, r1, step2[:])
	w = suffix(w, r1, r2, step3[:])
	w = strip(w, r2)
	return strings.ToLower(string(final(w, r1, r2)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// mark writes as Y each y that is a consonant: at the start and after a vowel.
func mark(w []byte) []byte {
	for i := range w {
		if w[i] == 'y' && (i == 0 || vowel(w, i-1)) {
			w[i] = 'Y'
		}
	}
	return w
}

func vowel(w []byte, i int) bool { return strings.IndexByte("aeiouy", w[i]) >= 0 }

// region is what follows the first consonant behind a vowel, from start.
func region(w []byte, start int) int {
	for i := start + 1; i < len(w); i++ {
		if !vowel(w, i) && vowel(w, i-1) {
			return i + 1
		}
	}
	return len(w)
}

func ends(w []byte, tail string) bool {
	return len(w) >= len(tail) && string(w[len(w)-len(tail):]) == tail
}

func anyVowel(w []byte) bool {
	for i := range w {
		if vowel(w, i) {
			return true
		}
	}
	return false
}

// plural is step 1a.
func plural(w []byte) []byte {
	n := len(w)
	switch {
	case ends(w, "sses"):
		return w[:n-2]
	case ends(w, "ied"), ends(w, "ies"):
		if n > 4 {
			return w[:n-2]
		}
		return w[:n-1]
	case ends(w, "us"), ends(w, "ss"):
		return w
	case ends(w, "s") && n > 2 && anyVowel(w[:n-2]):
		return w[:n-1]
	}
	return w
}

// past is step 1b: ed, ing and what they leave behind.
func past(w []byte, r1 int) []byte {
	for _, tail := range [...]string{"eedly", "ingly", "edly", "eed", "ing", "ed"} {
		if !ends(w, tail) {
			continue
		}
		base := w[:len(w)-len(tail)]
		if tail == "eed" || tail == "eedly" {
			if len(base) >= r1 {
				return append(base, "ee"...)
			}
			return w
		}
		if !anyVowel(base) {
			return w
		}
		n := len(base)
		switch {
		case ends(base, "at"), ends(base, "bl"), ends(base, "iz"):
			return append(base, 'e')
		case n > 1 && base[n-1] == base[n-2] && strings.IndexByte("bdfgmnprt", base[n-1]) >= 0:
			return base[:n-1]
		case n <= r1 && shortEnd(base):
			return append(base, 'e')
		}
		return base
	}
	return w
}

// shortEnd: w ends in a short syllable.
func shortEnd(w []byte) bool {
	n := len(w)
	if n == 2 {
		return vowel(w, 0) && !vowel(w, 1)
	}
	return n > 2 && !vowel(w, n-3) && vowel(w, n-2) && !vowel(w, n-1) && strings.IndexByte("wxY", w[n-1]) < 0
}

type ending struct{ from, to string }

// Longest first among those with a common tail.
var (
	step2 = [...]ending{
		{"ization", "ize"},
		{"ational", "ate"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"iveness", "ive"},
		{"tional", "tion"},
		{"biliti", "ble"},
		{"lessli", "less"},
		{"entli", "ent"},
		{"ation", "ate"},
		{"alism", "al"},
		{"aliti", "al"},
		{"ousli", "ous"},
		{"iviti", "ive"},
		{"fulli", "ful"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"abli", "able"},
		{"izer", "ize"},
		{"ator", "ate"},
		{"alli", "al"},
		{"bli", "ble"},
		{"logi", "log"},
	}
	step3 = [...]ending{
		{"ational", "ate"},
		{"tional", "tion"},
		{"alize", "al"},
		{"icate", "ic"},
		{"iciti", "ic"},
		{"ative", ""},
		{"ical", "ic"},
		{"ness", ""},
		{"ful", ""},
	}
	step4 = [...]string{
		"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic",
	}
)

// suffix replaces the first ending that fits where it lies in R1; "ative" must
// lie in R2.
func suffix(w []byte, r1, r2 int, list []ending) []byte {
	for _, e := range list {
		if !ends(w, e.from) {
			continue
		}
		at := len(w) - len(e.from)
		if at < r1 || e.from == "ative" && at < r2 {
			return w
		}
		return append(w[:at], e.to...)
	}
	if n := len(w); ends(w, "li") && n-2 >= r1 && n > 2 && strings.IndexByte("cdeghkmnrt", w[n-3]) >= 0 {
		return w[:n-2]
	}
	return w
}

// strip is step 4: endings that lie in R2 go.
func strip(w []byte, r2 int) []byte {
	for _, tail := range step4 {
		if !ends(w, tail) {
			continue
		}
		at := len(w) - len(tail)
		if at < r2 || tail == "ion" && (at == 0 || w[at-1] != 's' && w[at-1] != 't') {
			return w
		}
		return w[:at]
	}
	return w
}

// final is step 5: a last e or a second l.
func final(w []byte, r1, r2 int) []byte {
	n := len(w)
	switch {
	case n == 0:
		return w
	case w[n-1] == 'e' && (n-1 >= r2 || n-1 >= r1 && !shortEnd(w[:n-1])):
		return w[:n-1]
	case w[n-1] == 'l' && n-1 >= r2 && n > 1 && w[n-2] == 'l':
		return w[:n-1]
	}
	return w
}
