package cells

import (
	"encoding/json"
	"strings"
)

// span is the bytes [start, end) of a document.
type span struct{ start, end int }

// member is one of an object: where its key begins and where its value stands.
type member struct {
	name  string
	key   int
	value span
}

// blanks skips white space from i on.
func blanks(s string, i int) int {
	for i < len(s) && strings.IndexByte(" \t\r\n", s[i]) >= 0 {
		i++
	}
	return i
}

// value is the span of the JSON value that begins at i, in a document that is
// valid.
func value(s string, i int) span {
	start, depth := i, 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = quoted(s, i)
			if depth == 0 {
				return span{start, i}
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return span{start, i} // of a number or a word before it
			}
			if depth--; depth == 0 {
				return span{start, i + 1}
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return span{start, i}
			}
		}
		i++
	}
	return span{start, len(s)}
}

// quoted is the end of the string that begins at i.
func quoted(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// members are those of the object that begins at i; none of anything else.
func members(s string, i int) (out []member) {
	if i >= len(s) || s[i] != '{' {
		return nil
	}
	for i = blanks(s, i+1); i < len(s) && s[i] == '"'; {
		end := quoted(s, i)
		m := member{name: unquote(s[i:end]), key: i}
		i = blanks(s, end)    // the colon
		i = blanks(s, i+1)    // the value
		m.value = value(s, i) //
		i = blanks(s, m.value.end)
		out = append(out, m)
		if i < len(s) && s[i] == ',' {
			i = blanks(s, i+1)
		}
	}
	return out
}

// elements are those of the list that begins at i; none of anything else.
func elements(s string, i int) (out []span) {
	if i >= len(s) || s[i] != '[' {
		return nil
	}
	for i = blanks(s, i+1); i < len(s) && s[i] != ']'; {
		v := value(s, i)
		out = append(out, v)
		if i = blanks(s, v.end); i < len(s) && s[i] == ',' {
			i = blanks(s, i+1)
		}
	}
	return out
}

// unquote gives what a JSON value is as a string, "" when it is none.
func unquote(raw string) (out string) {
	if json.Unmarshal([]byte(raw), &out) != nil {
		return ""
	}
	return out
}
