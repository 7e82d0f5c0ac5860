package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"companion/tools/grammar"
	"companion/tools/schema"
)

// Validate turns the model's bytes into a JSON object that fits the tool's
// schema: Call.Args. What was sent in a lossless disguise is coerced; the rest
// goes back as a failed result with the place and what was expected there.
// Arguments that the output limit cut off are refused for every tool that is
// not read-only, and completed for the others. The text of a freeform tool is
// checked against its grammar.
//
// Schemas and grammars are compiled once for each registered tool and text; a
// tool that is a Fitter brings its own schema.
func Validate() Stage {
	var compiled sync.Map // full name, schema and grammar → *form
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			f, err := formOf(&compiled, inv)
			if err != nil {
				return Result{}, err
			}
			inv.form = f
			var args json.RawMessage
			if inv.Spec.Form == Freeform {
				args, err = freeform(inv)
			} else if args, err = arguments(inv); err == nil {
				args, err = f.fit(args)
			}
			if err != nil {
				return Result{}, misfit(inv, err)
			}
			inv.Call.Args = args
			return next(ctx, inv)
		}
	}
}

// misfit words what is wrong with arguments.
func misfit(inv *Invocation, err error) error {
	var wrong *schema.Misfit
	var refusal *Refusal
	switch {
	case errors.As(err, &wrong):
		return Fail(fmt.Sprintf("%s was not run: its arguments do not fit. %s Nothing was changed.", inv.Spec.Full(), wrong.Text))
	case errors.As(err, &refusal):
		return err
	}
	return fmt.Errorf("arguments of %s: %w", inv.Spec.Full(), err)
}

// Rewrite gives the call other arguments, coerced and checked as the model's
// are. The error is a *schema.Misfit where they do not fit; the call keeps its
// arguments then. What was prepared is still of the old ones.
func (inv *Invocation) Rewrite(args json.RawMessage) error {
	args, err := inv.form.fit(args)
	if err != nil {
		return err
	}
	inv.Call.Args = args
	return nil
}

// form is what the arguments of one tool have to be.
type form struct {
	Fitter
	grammar *grammar.Grammar // of a freeform tool; nil = any text
}

// A Fitter coerces and checks arguments, one JSON value, and gives an object; a
// *schema.Misfit says what is wrong with them. A Tool may be one: where
// Spec.Input is a shortened schema, or to compile no schema twice. The text of
// a freeform tool is held against its grammar after that.
type Fitter interface {
	Fit(args json.RawMessage) (json.RawMessage, error)
}

// freeformInput is the schema of every freeform tool that has none.
const freeformInput = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`

func formOf(compiled *sync.Map, inv *Invocation) (*form, error) {
	own, brings := inv.Tool.(Fitter)
	if brings && (inv.Spec.Form != Freeform || inv.Spec.Grammar == "") {
		return &form{Fitter: own}, nil
	}
	key := inv.Spec.Full() + "\x00" + string(inv.Spec.Input) + "\x00" + inv.Spec.Grammar
	if found, ok := compiled.Load(key); ok {
		return found.(*form), nil
	}
	f := &form{Fitter: own}
	if !brings {
		input := inv.Spec.Input
		if inv.Spec.Form == Freeform && len(input) == 0 {
			input = json.RawMessage(freeformInput)
		}
		s, err := schema.Compile(input)
		if err != nil {
			return nil, Fail(fmt.Sprintf("%s cannot be called: its schema is wrong: %v. Use another tool.", inv.Spec.Full(), err))
		}
		f.Fitter = s
	}
	if inv.Spec.Form == Freeform && inv.Spec.Grammar != "" {
		g, err := grammar.Compile(inv.Spec.Grammar)
		if err != nil {
			return nil, Fail(fmt.Sprintf("%s cannot be called: its grammar is wrong: %v. Use another tool.", inv.Spec.Full(), err))
		}
		f.grammar = g
	}
	found, _ := compiled.LoadOrStore(key, f)
	return found.(*form), nil
}

// fit is Fit and, for a freeform tool, its grammar.
func (f *form) fit(args json.RawMessage) (json.RawMessage, error) {
	args, err := f.Fit(args)
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

// Decode fills the struct that schema.Of described from checked arguments. What
// passes the schema and no struct can hold, such as the number 1e400, is refused.
func Decode[T any](args json.RawMessage) (T, error) {
	var v T
	if err := schema.Decode(args, &v); err != nil {
		return v, Fail(fmt.Sprintf("The arguments do not fit. %v Nothing was changed.", err))
	}
	return v, nil
}
