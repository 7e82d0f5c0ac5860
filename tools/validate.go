package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Validate turns the model's bytes into a JSON object that fits the tool's
// schema: Call.Args. What was sent in a lossless disguise is coerced; the rest
// goes back as a failed result with the place and what was expected there.
// Arguments that the output limit cut off are refused for every tool that is
// not read-only, and completed for the others.
//
// Schemas are compiled once for each registered tool and schema text.
func Validate() Stage {
	var compiled sync.Map // full name and schema text → *schema
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			key := inv.Spec.Full() + "\x00" + string(inv.Spec.Input)
			found, ok := compiled.Load(key)
			if !ok {
				s, err := compile(inv.Spec)
				if err != nil {
					return Result{}, Fail(fmt.Sprintf("%s cannot be called: its schema is wrong: %v. Use another tool.", inv.Spec.Full(), err))
				}
				found, _ = compiled.LoadOrStore(key, s)
			}
			args, err := arguments(inv)
			if err != nil {
				return Result{}, err
			}
			args, err = found.(*schema).fit(inv.Spec, args)
			if err != nil {
				return Result{}, err
			}
			inv.Call.Args = args
			return next(ctx, inv)
		}
	}
}

// arguments gives the call's bytes as one JSON value.
func arguments(inv *Invocation) (json.RawMessage, error) {
	raw := bytes.TrimSpace(inv.Call.Raw)
	if inv.Call.Cut {
		if !inv.Spec.ReadOnly {
			return nil, Fail(fmt.Sprintf("%s was not run: the output limit cut its arguments off, and half of them would do something else. "+
				"Nothing was changed. Call it again with shorter arguments, or split the work into several calls.", inv.Spec.Full()))
		}
		fixed, ok := complete(raw)
		if !ok {
			return nil, Fail(fmt.Sprintf("%s was not run: the output limit cut its arguments off. Call it again with shorter arguments.", inv.Spec.Full()))
		}
		inv.note = "(The output limit cut the arguments off; they were read as " + string(fixed) + ".)"
		return fixed, nil
	}
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	if err := oneValue(raw); err != nil {
		return nil, Fail(fmt.Sprintf("%s was not run: its arguments are no JSON: %v. A JSON object was expected. Nothing was changed.", inv.Spec.Full(), err))
	}
	return raw, nil
}

// oneValue reports where raw stops being exactly one JSON value.
func oneValue(raw []byte) error {
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

// complete closes the strings, arrays and objects that are open at the end of
// raw, after dropping a key or value that is not whole.
func complete(raw []byte) (json.RawMessage, bool) {
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
