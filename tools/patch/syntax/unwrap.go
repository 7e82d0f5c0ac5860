package syntax

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unwrap turns what a model sends into the text of the patch: it decodes the
// strings of JSON around it, as they come, and passes all else through.
type unwrap struct {
	state  jsonState
	buf    []byte // of an escape, or of what is not decided yet
	value  []byte // the start of a string that may be the patch
	taken  bool   // a string of the JSON is the patch
	high   rune   // the first half of a surrogate pair
	opened bool   // the patch was in JSON
}

type jsonState byte

const (
	undecided jsonState = iota // only white space came
	plain                      // no JSON
	outside                    // between the strings of JSON
	within                     // in a string
	done                       // the string that is the patch has ended
)

const bom = "\ufeff"

// feed gives what is text of the patch in more.
func (u *unwrap) feed(more string) string {
	switch u.state {
	case plain:
		return more
	case undecided:
		u.buf = append(u.buf, more...)
		all := string(u.buf)
		if len(all) < len(bom) && strings.HasPrefix(bom, all) {
			return ""
		}
		all = strings.TrimPrefix(all, bom)
		rest := strings.TrimLeft(all, " \t\r\n")
		if rest == "" {
			return ""
		}
		u.buf = u.buf[:0]
		if !strings.ContainsRune("{[\"", rune(rest[0])) {
			u.state = plain
			return all
		}
		u.state, u.opened = outside, true
		return u.json(rest)
	case done:
		return ""
	}
	return u.json(more)
}

// json reads strings of JSON. The first that looks like a patch is the patch.
func (u *unwrap) json(more string) string {
	var out strings.Builder
	for i := 0; i < len(more); i++ {
		c := more[i]
		switch {
		case u.state == done:
			return out.String()
		case u.state == outside:
			if c == '"' {
				u.state, u.value, u.buf = within, u.value[:0], u.buf[:0]
			}
		case len(u.buf) > 0:
			u.buf = append(u.buf, c)
			if s, ok := u.escape(); ok {
				u.buf = u.buf[:0]
				u.put(&out, s)
			}
		case c == '\\':
			u.buf = append(u.buf, c)
		case c == '"':
			u.end(&out)
		default:
			u.put(&out, more[i:i+1])
		}
	}
	return out.String()
}

// put adds decoded text to the string that is being read.
func (u *unwrap) put(out *strings.Builder, s string) {
	if u.taken {
		out.WriteString(s)
		return
	}
	u.value = append(u.value, s...)
	if s == "\n" && looksLikePatch(string(u.value)) {
		u.taken = true
		out.Write(u.value)
	}
}

// end ends a string: of a member's name, of a value, or of the patch.
func (u *unwrap) end(out *strings.Builder) {
	if !u.taken && looksLikePatch(string(u.value)) {
		u.taken = true
		out.Write(u.value)
	}
	u.state = outside
	if u.taken {
		u.state = done
	}
}

// looksLikePatch judges the first lines of a string.
func looksLikePatch(s string) bool {
	return strings.Contains(s, "***") || strings.Contains(s, "<<") || strings.Contains(s, "```")
}

// escape decodes u.buf; false: it is not complete. What is no escape of JSON
// stays as it is.
func (u *unwrap) escape() (string, bool) {
	switch c := u.buf[1]; c {
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'r':
		return "\r", true
	case 'b':
		return "\b", true
	case 'f':
		return "\f", true
	case '"', '\\', '/':
		return string(c), true
	case 'u':
		return u.unicode()
	}
	return string(u.buf), true
}

func (u *unwrap) unicode() (string, bool) {
	var r rune
	for _, c := range u.buf[2:] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return string(u.buf), true
		}
		r = r<<4 | rune(d)
	}
	if len(u.buf) < 6 {
		return "", false
	}
	if u.high != 0 {
		pair := utf16.DecodeRune(u.high, r)
		u.high = 0
		return string(pair), true
	}
	if utf16.IsSurrogate(r) {
		u.high = r
		return "", true
	}
	return string(r), true
}

// rest is what is known of the text at its end.
func (u *unwrap) rest() string {
	switch {
	case u.state == undecided:
		return ""
	case u.state == within && !u.taken && looksLikePatch(string(u.value)):
		return string(u.value)
	}
	return ""
}

// valid gives s with U+FFFD for what is no UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "�")
}
