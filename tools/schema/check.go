package schema

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

// Schema is a JSON Schema, compiled and as plain data. It is immutable and safe
// for concurrent use.
type Schema struct {
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

// Compile reads a schema; none stands for any object. References that leave the
// schema are errors.
func Compile(text json.RawMessage) (*Schema, error) {
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
	const at = "tool://arguments/schema" // hierarchical, so that a relative reference is another place
	if err := c.AddResource(at, plain); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(at)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.ReplaceAll(defect(err), at, ""))
	}
	return &Schema{compiled, plain}, nil
}

// defect words, in one line, why a schema does not compile.
func defect(err error) string {
	var broken *jsonschema.SchemaValidationError
	var wrong *jsonschema.ValidationError
	if !errors.As(err, &broken) || !errors.As(broken.Err, &wrong) {
		return err.Error()
	}
	var places []string
	printer := message.NewPrinter(language.English)
	for _, leaf := range leaves(wrong) {
		places = append(places, "/"+strings.Join(leaf.InstanceLocation, "/")+": "+leaf.ErrorKind.LocalizedString(printer))
	}
	const most = 4
	return strings.Join(places[:min(len(places), most)], "; ")
}

// leaves are the problems that have no finer cause.
func leaves(e *jsonschema.ValidationError) (out []*jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	return out
}

// Misfit says where and how arguments do not fit a schema.
type Misfit struct{ Text string }

func (m *Misfit) Error() string { return m.Text }

// Fit coerces args, which is one JSON value, and checks it; what fits as it is
// keeps its bytes, null stands for no arguments. The error is a *Misfit when
// the arguments are wrong.
func (s *Schema) Fit(args json.RawMessage) (json.RawMessage, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, &Misfit{fmt.Sprintf("They are no JSON: %v.", err)}
	}
	empty := value == nil
	if empty {
		value = map[string]any{}
	}
	coerced, moved := coercer{s.plain}.value(s.plain, value)
	err = s.compiled.Validate(coerced)
	var wrong *jsonschema.ValidationError
	switch {
	case errors.As(err, &wrong):
		if moved && s.fits(args) {
			return args, nil
		}
		return nil, &Misfit{s.explain(wrong)}
	case err != nil:
		return nil, err
	}
	if _, ok := coerced.(map[string]any); !ok {
		return nil, &Misfit{"(arguments): expected object."}
	}
	if !moved && !empty {
		return args, nil
	}
	out, err := json.Marshal(coerced)
	if err != nil {
		return nil, fmt.Errorf("coerced arguments: %w", err)
	}
	return out, nil
}

// explain lists every problem with its JSON path and what was expected.
func (s *Schema) explain(root *jsonschema.ValidationError) string {
	var lines []string
	printer := message.NewPrinter(language.English)
	for _, e := range leaves(root) {
		lines = append(lines, short(jsonPath(e.InstanceLocation)+": "+s.expected(e, printer))+".")
	}
	sort.Strings(lines)
	const most = 8
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("And %d more.", len(lines)-most))
	}
	return strings.Join(lines, " ")
}

// short leaves the middle of what is wrong out, where a value or a list of those
// allowed is long.
func short(s string) string {
	const most, end = 600, 150
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return fmt.Sprintf("%s … [%d characters left out] … %s", string(runes[:most-end]), len(runes)-most, string(runes[len(runes)-end:]))
}

func (s *Schema) expected(e *jsonschema.ValidationError, printer *message.Printer) string {
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

// fits tells whether args, an object, is valid without coercion.
func (s *Schema) fits(args json.RawMessage) bool {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	_, isObject := v.(map[string]any)
	return err == nil && isObject && s.compiled.Validate(v) == nil
}

// Check tells how a value, JSON of any type, does not fit; it coerces nothing.
// The error is a *Misfit when the value is wrong.
func (s *Schema) Check(value json.RawMessage) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return &Misfit{fmt.Sprintf("It is no JSON: %v.", err)}
	}
	err = s.compiled.Validate(v)
	var wrong *jsonschema.ValidationError
	if errors.As(err, &wrong) {
		return &Misfit{s.explain(wrong)}
	}
	return err
}

// propertiesAt names the properties of the object at an instance location.
func (s *Schema) propertiesAt(loc []string) []string {
	c := coercer{s.plain}
	at := c.flat(s.plain)
	for _, step := range loc {
		next := at.items
		if child, ok := at.props[step]; ok {
			next = child
		}
		at = c.flat(next)
	}
	names := make([]string, 0, len(at.props))
	for name := range at.props {
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
