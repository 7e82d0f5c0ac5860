package match

import "github.com/agnivade/levenshtein"

// alikeMost is how many bytes of two texts are compared character by character.
const alikeMost = 1_000

// Alike is 1 for equal texts and 0 for texts that share nothing: the part of
// characters that need not be changed to turn one into the other. Of long texts
// only what is left between a common beginning and end is compared, and at most
// 1,000 bytes of it.
func Alike(a, b string) float64 {
	longest := max(len(a), len(b))
	if longest == 0 {
		return 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 || len(a) > alikeMost || len(b) > alikeMost {
		return 1 - float64(max(len(a), len(b)))/float64(longest)
	}
	return 1 - float64(levenshtein.ComputeDistance(latin(a), latin(b)))/float64(longest)
}

// latin makes one character of each byte, since a cut may be inside of one.
func latin(s string) string {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return string(out)
}
