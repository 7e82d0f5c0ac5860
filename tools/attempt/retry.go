package attempt

import (
	"context"
	"errors"
	"time"

	"companion/tools"
)

// Pause is the time between a failure that may pass and the second try.
const Pause = 250 * time.Millisecond

// Retry runs a call that has no effects once more where it failed by
// tools.ErrTransient. A call with effects is never run again: it may have
// happened.
func Retry() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			res, err := next(ctx, inv)
			if !errors.Is(err, tools.ErrTransient) || !harmless(inv) {
				return res, err
			}
			pause := time.NewTimer(Pause)
			defer pause.Stop()
			select {
			case <-pause.C:
			case <-ctx.Done():
				return res, ctx.Err()
			}
			res, again := next(ctx, inv)
			if errors.Is(again, tools.ErrTransient) {
				inv.Tell("(It failed twice in the same way; the first try was " + Pause.String() + " before the second.)")
			}
			return res, again
		}
	}
}

// harmless tells whether running a call twice is as good as once.
func harmless(inv *tools.Invocation) bool {
	if !inv.Spec.ReadOnly {
		return false
	}
	for _, e := range inv.Action.Effects {
		switch e.Kind {
		case tools.Read, tools.Network, tools.External: // of a tool that says that it only reads
		default:
			return false
		}
	}
	return true
}
