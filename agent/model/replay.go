package model

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Replayable tells whether a vendor takes a call back as it came: under a name
// of the form that all of them ask for, with arguments that are an object whose
// escapes are characters. Models write others, and a history with one is refused
// at every later step.
func Replayable(name string, arguments []byte) bool {
	trimmed := bytes.TrimSpace(arguments)
	return name != "" && portable(name, MaxToolName) == name &&
		len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed) && bytes.Equal(PairedEscapes(trimmed), trimmed)
}

// PairedEscapes is JSON in which no \u escape is half of a character outside the
// first plane: vendors refuse such a text. Each lone half becomes U+FFFD.
func PairedEscapes(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			i++
			continue
		}
		high := half(raw[i:], 0xD8)
		switch {
		case high && half(raw[i+6:], 0xDC):
			out = append(out, raw[i:i+12]...)
			i += 12
		case high || half(raw[i:], 0xDC):
			out = append(out, `\ufffd`...)
			i += 6
		default:
			out = append(out, raw[i:i+2]...)
			i += 2
		}
	}
	return out
}

// half tells whether an escape of the kind \uXXXX begins s whose upper byte is
// top to top+3.
func half(s []byte, top uint64) bool {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return err == nil && n>>8 >= top && n>>8 < top+4
}
