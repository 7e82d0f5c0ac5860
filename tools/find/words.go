package find

import (
	"unicode"
	"unicode/utf8"
)

// words splits text into lower-case words: at everything that is no letter or
// digit, and in identifiers where the case turns ("listPullRequests", "APIKey").
// Words that say nothing are left out.
func words(text string, yield func(string)) {
	scan(text, nil, func(w []byte) {
		if word := string(w); !idle(word) {
			yield(word)
		}
	})
}

// scan is words with the idle ones; what it yields is overwritten by the next.
// buf is room for a word, nil = none yet. It returns the room.
func scan(text string, buf []byte, yield func([]byte)) []byte {
	buf = buf[:0]
	was := other
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		is := kindOf(r)
		turns := is == upper && (was == lower || was == upper && kindAt(text, i+size) == lower)
		if len(buf) > 0 && (is == other || turns) {
			yield(buf)
			buf = buf[:0]
		}
		switch {
		case is == other:
		case is == upper && r < utf8.RuneSelf:
			buf = append(buf, byte(r)+'a'-'A')
		case r < utf8.RuneSelf:
			buf = append(buf, byte(r))
		default:
			buf = utf8.AppendRune(buf, unicode.ToLower(r))
		}
		was = is
		i += size
	}
	if len(buf) > 0 {
		yield(buf)
	}
	return buf[:0]
}

// kind of a rune, as far as words end by it.
type kind uint8

const (
	other kind = iota
	upper
	lower
	digit
)

func kindOf(r rune) kind {
	switch {
	case r >= 'a' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'Z':
		return upper
	case r >= '0' && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return other
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

func kindAt(text string, i int) kind {
	if i >= len(text) {
		return other
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return kindOf(r)
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
