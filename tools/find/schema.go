package find

import (
	"bytes"
	"encoding/json"
)

// reader reads what is searched of a schema: names and descriptions of
// properties, also of nested ones and of those of items. It is several times
// as fast as encoding/json and stops where it does not understand.
type reader struct {
	raw  []byte
	at   int
	name func(string) // a property's name
	text func(string) // a property's description
}

// deepest nesting of objects that is read.
const deepest = 40

// object reads an object and hands each member's key over, with the reader at
// the member's value, which take must read. False = stop.
func (r *reader) object(take func(key []byte) bool) bool {
	if !r.next('{') {
		return r.skip()
	}
	for !r.next('}') {
		key, ok := r.str()
		if !ok || !r.next(':') || !take(key) {
			return false
		}
		if !r.next(',') && r.peek() != '}' {
			return false
		}
	}
	return true
}

// schema reads one schema.
func (r *reader) schema(depth int) bool {
	return r.object(func(key []byte) bool {
		switch {
		case depth > deepest:
		case string(key) == "properties":
			return r.object(func(name []byte) bool {
				r.name(unquoted(name))
				return r.schema(depth + 1)
			})
		case string(key) == "items" && r.peek() == '{':
			return r.schema(depth + 1)
		case string(key) == "description" && depth > 0 && r.peek() == '"':
			text, ok := r.str()
			r.text(unquoted(text))
			return ok
		}
		return r.skip()
	})
}

// unquoted is the text between quotes.
func unquoted(s []byte) string {
	var out string
	if bytes.IndexByte(s, '\\') >= 0 && json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &out) == nil {
		return out
	}
	return string(s)
}

func (r *reader) peek() byte {
	for r.at < len(r.raw) {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// next steps over c where it comes next.
func (r *reader) next(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

// str reads a string: what stands between its quotes, escapes and all.
func (r *reader) str() ([]byte, bool) {
	if !r.next('"') {
		return nil, false
	}
	for start := r.at; r.at < len(r.raw); r.at++ {
		switch r.raw[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return r.raw[start : r.at-1], true
		}
	}
	return nil, false
}

// skip steps over one value.
func (r *reader) skip() bool {
	depth := 0
	for {
		switch c := r.peek(); c {
		case 0:
			return false
		case '"':
			if _, ok := r.str(); !ok {
				return false
			}
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			if depth--; depth < 0 {
				return false
			}
			r.at++
		case ',', ':':
			r.at++
		default:
			for r.at < len(r.raw) && bytes.IndexByte([]byte(" \t\r\n,:]}"), r.raw[r.at]) < 0 {
				r.at++
			}
		}
		if depth == 0 {
			return true
		}
	}
}
