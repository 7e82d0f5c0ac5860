package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"companion/tools/schema"
)

// Validate turns the model's bytes into a JSON object that fits the tool's
// schema: Call.Args. What was sent in a lossless disguise is coerced; the rest
// goes back as a failed result with the place and what was expected there.
// Arguments that the output limit cut off are refused for every tool that is
// not read-only, and completed for the others.
//
// Schemas are compiled once for each registered tool and schema text; a tool
// that is a Fitter brings its own.
func Validate() Stage {
	var compiled sync.Map // full name and schema text → *schema.Schema.Schema
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			fitter, ok := inv.Tool.(Fitter)
			if !ok {
				key := inv.Spec.Full() + "\x00" + string(inv.Spec.Input)
				found, ok := compiled.Load(key)
				if !ok {
					s, err := schema.Compile(inv.Spec.Input)
					if err != nil {
						return Result{}, Fail(fmt.Sprintf("%s cannot be called: its schema is wrong: %v. Use another tool.", inv.Spec.Full(), err))
					}
					found, _ = compiled.LoadOrStore(key, s)
				}
				fitter = found.(*schema.Schema)
			}
			args, err := arguments(inv)
			if err != nil {
				return Result{}, err
			}
			args, err = fitter.Fit(args)
			var wrong *schema.Misfit
			if errors.As(err, &wrong) {
				return Result{}, Fail(fmt.Sprintf("%s was not run: its arguments do not fit. %s Nothing was changed.", inv.Spec.Full(), wrong.Text))
			}
			if err != nil {
				return Result{}, fmt.Errorf("arguments of %s: %w", inv.Spec.Full(), err)
			}
			inv.Call.Args = args
			return next(ctx, inv)
		}
	}
}

// A Fitter coerces and checks arguments, one JSON value, and gives an object; a
// *schema.Misfit says what is wrong with them. A Tool may be one: where
// Spec.Input is a shortened schema, or to compile no schema twice.
type Fitter interface {
	Fit(args json.RawMessage) (json.RawMessage, error)
}

// arguments gives the call's bytes as one JSON value.
func arguments(inv *Invocation) (json.RawMessage, error) {
	raw := bytes.TrimSpace(inv.Call.Raw)
	if inv.Call.Cut {
		if !inv.Spec.ReadOnly {
			return nil, Fail(fmt.Sprintf("%s was not run: the output limit cut its arguments off, and half of them would do something else. "+
				"Nothing was changed. Call it again with shorter arguments, or split the work into several calls.", inv.Spec.Full()))
		}
		fixed, ok := schema.Complete(raw)
		if !ok {
			return nil, Fail(fmt.Sprintf("%s was not run: the output limit cut its arguments off. Call it again with shorter arguments.", inv.Spec.Full()))
		}
		inv.note = "(The output limit cut the arguments off; they were read as " + string(fixed) + ".)"
		return fixed, nil
	}
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	if err := schema.One(raw); err != nil {
		return nil, Fail(fmt.Sprintf("%s was not run: its arguments are no JSON: %v. A JSON object was expected. Nothing was changed.", inv.Spec.Full(), err))
	}
	return raw, nil
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
