package find

import (
	"strings"
	"unicode"
)

// words splits text into lower-case words: at everything that is no letter or
// digit, and in identifiers where the case turns ("listPullRequests", "APIKey").
// Words that say nothing are left out.
func words(text string, yield func(string)) {
	start, runes := -1, []rune(text)
	flush := func(end int) {
		if start >= 0 {
			if w := strings.ToLower(string(runes[start:end])); !idle(w) {
				yield(w)
			}
			start = -1
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			continue
		case start >= 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1])):
			flush(i)
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(runes))
}

// idle are words that tell no tool from another.
func idle(w string) bool {
	switch w {
	case "a", "an", "the", "of", "to", "in", "on", "at", "for", "from", "by", "with", "and", "or", "is", "are", "was", "be", "been", "it", "its",
		"this", "that", "these", "those", "as", "if", "do", "does", "did", "i", "me", "my", "we", "our", "us", "you", "your", "can", "could",
		"will", "would", "should", "please", "what", "which", "who", "how", "when", "where", "why", "there", "s", "t", "has", "have", "had",
		"so", "not", "any", "all", "some", "into", "about", "using", "use", "used", "tool", "tools", "mcp", "via", "than", "then", "them", "they", "their":
		return true
	}
	return false
}
