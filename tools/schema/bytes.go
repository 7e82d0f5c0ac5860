package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// One reports where raw stops being exactly one JSON value.
func One(raw []byte) error {
	if json.Valid(raw) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	var v json.RawMessage
	err := dec.Decode(&v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s, at byte %d, near %s", strings.TrimPrefix(syntax.Error(), "json: "), syntax.Offset, near(raw, int(syntax.Offset)))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("they end at byte %d in the middle of a value, after %s", len(raw), near(raw, len(raw)))
	case err != nil:
		return err
	}
	if rest := bytes.TrimSpace(raw[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("something follows the value at byte %d: %s", dec.InputOffset(), near(raw, int(dec.InputOffset())+8))
	}
	return nil
}

// near quotes the 20 bytes around off.
func near(raw []byte, off int) string {
	start, end := max(0, min(off, len(raw))-16), min(len(raw), off+4)
	return fmt.Sprintf("%q", raw[start:end])
}

// Complete closes the strings, arrays and objects that are open at the end of
// raw, after dropping a key or value that is not whole.
func Complete(raw []byte) (json.RawMessage, bool) {
	for end := len(raw); end > 0; end-- {
		if tail, ok := closing(raw[:end]); ok {
			fixed := append(bytes.Clone(raw[:end]), tail...)
			if json.Valid(fixed) {
				return fixed, true
			}
		}
		if len(raw)-end > 256 { // no key or number is that long
			break
		}
	}
	return nil, false
}

// closing gives what closes everything that is open in part.
func closing(part []byte) ([]byte, bool) {
	var open []byte
	inString, escaped := false, false
	for _, c := range part {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if escaped || len(open) == 0 && !inString {
		return nil, len(open) == 0 && !inString && !escaped
	}
	var out []byte
	if inString {
		out = append(out, '"')
	}
	for i := len(open) - 1; i >= 0; i-- {
		out = append(out, open[i])
	}
	return out, true
}
