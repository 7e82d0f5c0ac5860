package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"companion/tools/arguments"
	"companion/tools/schema"
)

// A Fitter coerces and checks arguments, one JSON value, and gives an object; a
// *schema.Misfit says what is wrong with them. A Tool may be one: where
// Spec.Input is a shortened schema, or to compile no schema twice. The text of
// a freeform tool is held against its grammar after that.
type Fitter = arguments.Fitter

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
	var compiled sync.Map // full name, schema and grammar → *arguments.Form
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			spec := inv.Spec
			own, _ := inv.Tool.(Fitter)
			key := spec.Full() + "\x00" + string(spec.Input) + "\x00" + spec.Grammar
			found, ok := compiled.Load(key)
			if !ok || own != nil {
				lark := spec.Grammar
				if spec.Tolerant {
					lark = ""
				}
				f, err := arguments.Compile(own, spec.Input, spec.Form == Freeform, lark)
				if err != nil {
					return Result{}, Fail(fmt.Sprintf("%s cannot be called: %v. Use another tool.", spec.Full(), err))
				}
				if found = f; own == nil {
					found, _ = compiled.LoadOrStore(key, f)
				}
			}
			inv.form = found.(*arguments.Form)
			args, notes, err := inv.form.Read(arguments.Call{
				Tool: spec.Full(), Raw: inv.Call.Raw, Cut: inv.Call.Cut, ReadOnly: spec.ReadOnly, Freeform: spec.Form == Freeform, Input: spec.Input,
			})
			var wrong *arguments.Wrong
			switch {
			case errors.As(err, &wrong):
				return Result{}, Fail(wrong.Text)
			case err != nil:
				return Result{}, fmt.Errorf("arguments of %s: %w", spec.Full(), err)
			}
			inv.notes = append(inv.notes, notes...)
			inv.Call.Args = args
			return next(ctx, inv)
		}
	}
}

// Rewrite gives the call other arguments, coerced and checked as the model's
// are. The error is a *schema.Misfit where they do not fit; the call keeps its
// arguments then. What was prepared is still of the old ones.
func (inv *Invocation) Rewrite(args json.RawMessage) error {
	args, err := inv.form.Fit(args)
	if err != nil {
		return err
	}
	inv.Call.Args = args
	return nil
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
