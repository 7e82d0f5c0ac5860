package tools

import (
	"context"
	"errors"
	"time"
)

// Prepare asks the tool what the call would do, and gives the Started notice:
// from here on a person can see what is wanted. A refusal holds only once the
// calls before it in its step have had their effects: the file that an edit
// does not find may be what they make.
func Prepare() Stage {
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			err := inv.prepare(ctx)
			var refusal *Refusal
			if errors.As(err, &refusal) && inv.Order != nil {
				waited, stop := inv.Order.Settled(ctx)
				switch {
				case stop != nil:
					err = stop
				case waited:
					err = inv.prepare(ctx)
				}
			}
			if err != nil {
				return Result{}, err
			}
			inv.Start()
			return next(ctx, inv)
		}
	}
}

// prepare fills Action. The time is taken before, so that whatever changes
// while the tool looks counts as a later change.
func (inv *Invocation) prepare(ctx context.Context) error {
	at := time.Now()
	action, err := inv.Tool.Prepare(ctx, inv.Call)
	if err != nil {
		return err
	}
	if action.Activity == "" {
		action.Activity = "Running " + inv.Spec.Full()
	}
	inv.Action, inv.Prepared = action, at
	return nil
}
