package arguments

import (
	"encoding/json"
	"fmt"

	"companion/tools/grammar"
	"companion/tools/schema"
)

// A Fitter coerces and checks arguments, one JSON value, and gives an object; a
// *schema.Misfit says what is wrong with them.
type Fitter interface {
	Fit(args json.RawMessage) (json.RawMessage, error)
}

// Form is what the arguments of one tool have to be.
type Form struct {
	fitter  Fitter
	grammar *grammar.Grammar // of a freeform tool; nil = any text
}

// freeformInput is the schema of every freeform tool that has none.
const freeformInput = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`

// Compile makes the form of a tool from its JSON Schema or, where it is not
// nil, its own Fitter. lark is the grammar of a freeform tool's text, "" = any.
func Compile(own Fitter, input json.RawMessage, freeform bool, lark string) (*Form, error) {
	f := &Form{fitter: own}
	if own == nil {
		if freeform && len(input) == 0 {
			input = json.RawMessage(freeformInput)
		}
		s, err := schema.Compile(input)
		if err != nil {
			return nil, fmt.Errorf("its schema is wrong: %w", err)
		}
		f.fitter = s
	}
	if freeform && lark != "" {
		g, err := grammar.Compile(lark)
		if err != nil {
			return nil, fmt.Errorf("its grammar is wrong: %w", err)
		}
		f.grammar = g
	}
	return f, nil
}

// Fit coerces and checks arguments; those of a freeform tool are
// {"input": TEXT}, and the text is held against the grammar. The error is a
// *schema.Misfit where they are wrong.
func (f *Form) Fit(args json.RawMessage) (json.RawMessage, error) {
	args, err := f.fitter.Fit(args)
	if err != nil || f.grammar == nil {
		return args, err
	}
	var in struct {
		Input string `json:"input"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, &schema.Misfit{Text: fmt.Sprintf("They hold no input: %v.", err)}
	}
	if err := f.grammar.Check(in.Input); err != nil {
		return nil, &schema.Misfit{Text: fmt.Sprintf("The text does not follow the tool's grammar: %v.", err)}
	}
	return args, nil
}
