package rpc

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// placeOf is the path of the value that ends, or for an object or array begins,
// at a byte offset of raw, such as "input[1].text"; "" for raw itself.
// encoding/json names no index of a list.
func placeOf(raw []byte, offset int64) string {
	type level struct {
		key   string // of an object's value
		index int    // of a list's value, -1 in an object
		value bool   // of an object: the next token is a value
	}
	var at []level
	name := func() string {
		var b strings.Builder
		for _, l := range at {
			switch {
			case l.index >= 0:
				b.WriteString("[" + strconv.Itoa(l.index) + "]")
			case b.Len() > 0:
				b.WriteString("." + l.key)
			default:
				b.WriteString(l.key)
			}
		}
		return b.String()
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return ""
		}
		top := len(at) - 1
		delim, _ := t.(json.Delim)
		if top >= 0 && delim != '}' && delim != ']' {
			if l := &at[top]; l.index < 0 && !l.value {
				l.key, _ = t.(string)
				l.value = true
				continue
			}
		}
		if delim != '}' && delim != ']' && d.InputOffset() >= offset {
			return name()
		}
		switch delim {
		case '{':
			at = append(at, level{index: -1})
			continue
		case '[':
			at = append(at, level{})
			continue
		case '}', ']':
			at = at[:top]
		}
		if top := len(at) - 1; top >= 0 { // a value ended
			if at[top].index >= 0 {
				at[top].index++
			}
			at[top].value = false
		}
	}
}
