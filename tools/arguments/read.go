package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"companion/tools/schema"
)

// Call is what is to be read.
type Call struct {
	Tool     string // full name, for words
	Raw      []byte // the model's bytes
	Cut      bool   // the output limit cut them off
	ReadOnly bool   // the tool changes nothing
	Freeform bool
	Input    json.RawMessage // the tool's JSON Schema
}

// Wrong says why arguments cannot be read, in whole sentences for the model.
type Wrong struct{ Text string }

func (w *Wrong) Error() string { return w.Text }

// Read gives the arguments of a call, coerced and checked, and sentences that
// tell the model what was read other than as it was written. The error is a
// *Wrong where the call is.
func (f *Form) Read(c Call) (args json.RawMessage, notes []string, err error) {
	r := &reader{Call: c, form: f}
	if c.Freeform {
		args, err = r.freeform()
	} else if args, err = r.function(); err == nil {
		args, err = f.Fit(args)
	}
	var bad *schema.Misfit
	if errors.As(err, &bad) {
		err = &Wrong{fmt.Sprintf("%s was not run: its arguments do not fit. %s Nothing was changed.", c.Tool, bad.Text)}
	}
	if err != nil {
		return nil, nil, err
	}
	return args, r.notes, nil
}

type reader struct {
	Call
	form  *Form
	notes []string
}

func (r *reader) tell(note string) { r.notes = append(r.notes, note) }

func (r *reader) wrong(format string, args ...any) error {
	return &Wrong{r.Tool + " was not run: " + fmt.Sprintf(format, args...)}
}

// function gives the bytes of a function's call as one JSON value. An object
// that is wrapped in a string or a list is taken out; text that is no JSON is
// taken for the only parameter that must be given, when that is a string.
func (r *reader) function() (json.RawMessage, error) {
	raw := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(r.Raw), []byte("\ufeff")))
	if r.Cut {
		fixed, err := r.completed(raw)
		if err != nil {
			return nil, err
		}
		r.tell("(The output limit cut the arguments off; they were read as " + string(fixed) + ".)")
		return fixed, nil
	}
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	err := schema.One(raw)
	if err == nil {
		return unwrapped(raw), nil
	}
	if inner := unfenced(raw); len(inner) < len(raw) { // never text for a shell
		if err = schema.One(inner); err == nil {
			return unwrapped(inner), nil
		}
		raw = inner
	}
	if only := lone(r.Input); only != "" && len(raw) > 0 && !bytes.ContainsRune([]byte("{[\"`"), rune(raw[0])) {
		args, err := json.Marshal(map[string]string{only: string(raw)})
		if err == nil {
			r.tell(fmt.Sprintf("(The arguments were plain text and were read as %q; a JSON object was expected.)", only))
			return args, nil
		}
	}
	return nil, r.wrong("its arguments are no JSON: %v. A JSON object was expected. Nothing was changed.", err)
}

// completed closes what the output limit cut off, for tools that change
// nothing.
func (r *reader) completed(raw []byte) (json.RawMessage, error) {
	if !r.ReadOnly {
		return nil, r.wrong("the output limit cut its arguments off, and half of them would do something else. " +
			"Nothing was changed. Call it again with shorter arguments, or split the work into several calls.")
	}
	fixed, ok := schema.Complete(raw)
	if !ok {
		return nil, r.wrong("the output limit cut its arguments off. Call it again with shorter arguments.")
	}
	return fixed, nil
}

// unfenced takes the fence of a code block off a text that begins as an object
// in it.
func unfenced(raw []byte) []byte {
	inner := raw
	if body, ok := bytes.CutPrefix(inner, []byte("```")); ok {
		if _, lines, more := bytes.Cut(body, []byte("\n")); more {
			inner = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(lines), []byte("```")))
		}
	}
	if len(inner) == 0 || inner[0] != '{' {
		return raw
	}
	return inner
}

// unwrapped takes an object out of a string that holds it as JSON, or out of a
// list with nothing else in it.
func unwrapped(raw json.RawMessage) json.RawMessage {
	var text string
	var list []json.RawMessage
	inner := raw
	switch {
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		inner = bytes.TrimSpace([]byte(text))
	case raw[0] == '[' && json.Unmarshal(raw, &list) == nil && len(list) == 1:
		inner = bytes.TrimSpace(list[0])
	}
	if len(inner) > 0 && inner[0] == '{' && schema.One(inner) == nil {
		return inner
	}
	return raw
}

// lone is the only parameter that a schema requires, when it is a string, else
// "".
func lone(input json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(input, &s) != nil || len(s.Required) != 1 || s.Properties[s.Required[0]].Type != "string" {
		return ""
	}
	return s.Required[0]
}

// freeform gives {"input": TEXT} for the bytes of a freeform tool's call: the
// text itself, or the text in the wrapping of a function with one string. What
// could be either is what the grammar takes, the bare text first.
func (r *reader) freeform() (json.RawMessage, error) {
	raw := string(r.Raw)
	if r.Cut {
		if trimmed := strings.TrimSpace(raw); strings.HasPrefix(trimmed, "{") || !r.ReadOnly {
			fixed, err := r.completed([]byte(trimmed))
			if err != nil {
				return nil, err
			}
			raw = string(fixed)
		}
		r.tell("(The output limit cut the text off; it was taken as far as it came.)")
	}
	inner, wrapped := inputOf(raw)
	texts := []string{raw}
	switch {
	case wrapped && r.form.grammar == nil:
		texts = []string{inner}
	case wrapped:
		texts = append(texts, inner)
	}
	var wrong error
	for _, text := range texts {
		args, err := json.Marshal(map[string]string{"input": text})
		if err != nil {
			return nil, err
		}
		if args, err = r.form.Fit(args); err == nil {
			return args, nil
		}
		var bad *schema.Misfit
		if !errors.As(err, &bad) {
			return nil, err
		}
		wrong = bad
	}
	return nil, wrong
}

// inputOf takes the text out of a JSON string, or of an object whose only
// member is a string.
func inputOf(raw string) (string, bool) {
	trimmed := strings.TrimSpace(raw)
	var text string
	var object map[string]json.RawMessage
	switch {
	case json.Unmarshal([]byte(trimmed), &text) == nil && strings.HasPrefix(trimmed, `"`):
		if inner, ok := inputOf(text); ok && strings.HasPrefix(strings.TrimSpace(text), "{") {
			return inner, true
		}
		return text, true
	case json.Unmarshal([]byte(trimmed), &object) == nil && len(object) == 1:
		for _, v := range object {
			if v = bytes.TrimSpace(v); len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &text) == nil {
				return text, true
			}
		}
	}
	return raw, false
}
