package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema is a tool's input schema, compiled and as plain data.
type schema struct {
	compiled *jsonschema.Schema
	plain    any
}

// denyLoader refuses every reference outside the schema: the default loader
// would open files.
type denyLoader struct{}

func (denyLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a reference to %s leaves the schema", url)
}

// anyText stands for patterns that Go's regexp cannot compile (lookaheads):
// the tool stays usable, the pattern is not checked.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return string(a) }

func compile(spec Spec) (*schema, error) {
	text := spec.Input
	if len(text) == 0 {
		text = json.RawMessage(`{"type":"object"}`)
	}
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(denyLoader{})
	c.UseRegexpEngine(func(p string) (jsonschema.Regexp, error) {
		re, err := regexp.Compile(p)
		if err != nil {
			return anyText(p), nil
		}
		return re, nil
	})
	const at = "tool:input"
	if err := c.AddResource(at, plain); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(at)
	if err != nil {
		return nil, err
	}
	return &schema{compiled, plain}, nil
}

// fit coerces args and checks them; the error is a *Refusal.
func (s *schema) fit(spec Spec, args json.RawMessage) (json.RawMessage, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, Fail(fmt.Sprintf("%s was not run: its arguments are no JSON: %v.", spec.Full(), err))
	}
	if value == nil {
		value = map[string]any{}
	}
	coerced, moved := coerce(s.plain, value)
	err = s.compiled.Validate(coerced)
	var wrong *jsonschema.ValidationError
	switch {
	case errors.As(err, &wrong):
		return nil, Fail(fmt.Sprintf("%s was not run: its arguments do not fit. %s Nothing was changed.", spec.Full(), s.explain(wrong)))
	case err != nil:
		return nil, err
	}
	if _, ok := coerced.(map[string]any); !ok {
		return nil, Fail(fmt.Sprintf("%s was not run: its arguments must be a JSON object. Nothing was changed.", spec.Full()))
	}
	if !moved {
		return args, nil
	}
	out, err := json.Marshal(coerced)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", spec.Full(), err)
	}
	return out, nil
}

// explain lists every problem with its JSON path and what was expected.
func (s *schema) explain(root *jsonschema.ValidationError) string {
	var lines []string
	printer := message.NewPrinter(language.English)
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			lines = append(lines, jsonPath(e.InstanceLocation)+": "+s.expected(e, printer)+".")
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(root)
	sort.Strings(lines)
	const most = 8
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("And %d more.", len(lines)-most))
	}
	return strings.Join(lines, " ")
}

func (s *schema) expected(e *jsonschema.ValidationError, printer *message.Printer) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("expected %s, got %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Required:
		return "missing " + quoted(k.Missing) + ", which is required"
	case *kind.AdditionalProperties:
		known := s.propertiesAt(e.InstanceLocation)
		return fmt.Sprintf("unknown %s; the parameters are %s", quoted(k.Properties), quoted(known))
	}
	return e.ErrorKind.LocalizedString(printer)
}

// propertiesAt names the properties of the object at an instance location.
func (s *schema) propertiesAt(loc []string) []string {
	node, _ := s.plain.(map[string]any)
	for _, step := range loc {
		props, _ := node["properties"].(map[string]any)
		if child, ok := props[step].(map[string]any); ok {
			node = child
			continue
		}
		items, ok := node["items"].(map[string]any)
		if !ok {
			return nil
		}
		node = items
	}
	props, _ := node["properties"].(map[string]any)
	names := make([]string, 0, len(props))
	for name := range props {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return strings.Join(out, ", ")
}

// jsonPath renders an instance location: "edits[0].old", "(arguments)" for the
// whole.
func jsonPath(loc []string) string {
	var b strings.Builder
	for _, step := range loc {
		switch _, err := strconv.Atoi(step); {
		case err == nil:
			b.WriteString("[" + step + "]")
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	if b.Len() == 0 {
		return "(arguments)"
	}
	return b.String()
}
