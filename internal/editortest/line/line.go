// Package line splits the line language of scenarios into words.
//
// Never: know what a word means.
package line

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Parse splits a script into lines of words. A word in double quotes is
// a Go string; one that starts with { or [ runs to the end of its line. # starts
// a comment.
func Parse(s string) ([]Line, error) {
	var out []Line
	for i, text := range strings.Split(s, "\n") {
		words, err := split(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if len(words) > 0 {
			out = append(out, Line{i + 1, words, strings.TrimSpace(text)})
		}
	}
	return out, nil
}

func split(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		switch {
		case text == "" || text[0] == '#':
			return words, nil
		case text[0] == '{' || text[0] == '[':
			return append(words, strings.TrimSpace(text)), nil
		case text[0] == '"':
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", quoted, err)
			}
			words = append(words, word)
			text = text[len(quoted):]
		default:
			end := strings.IndexFunc(text, unicode.IsSpace)
			if end < 0 {
				end = len(text)
			}
			words = append(words, text[:end])
			text = text[end:]
		}
	}
}

// Place parses FILE:LINE or FILE:LINE:COL; column 0 = none given.
func Place(word string) (file string, line, column int, err error) {
	parts := strings.Split(word, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return "", 0, 0, fmt.Errorf("%q is no FILE:LINE or FILE:LINE:COL", word)
	}
	if line, err = strconv.Atoi(parts[1]); err != nil {
		return "", 0, 0, fmt.Errorf("%q: %w", word, err)
	}
	if len(parts) == 3 {
		if column, err = strconv.Atoi(parts[2]); err != nil {
			return "", 0, 0, fmt.Errorf("%q: %w", word, err)
		}
	}
	return parts[0], line, column, nil
}

// Line is one command of a script.
type Line struct {
	Number int // 1-based in the script
	Words  []string
	Text   string
}
