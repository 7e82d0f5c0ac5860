package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"companion/tools"
)

// MaxWait is how long a call waits at most for its tool to be ready: a server
// that is fetched and started may take a minute.
const MaxWait = 90 * time.Second

// Ready may be implemented by a tool that cannot be called at all times: its
// server is starting. The error says what is wrong in words for the model; it
// may be a *tools.Refusal.
type Ready interface {
	WaitReady(ctx context.Context) error
}

// Wait is the stage that waits for a tool to be ready, in front of the gate, so
// that nobody waits for a lock meanwhile.
func Wait() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			if r, ok := inv.Tool.(Ready); ok {
				if err := ready(ctx, r, inv.Spec.Full()); err != nil {
					return tools.Result{}, err
				}
			}
			return next(ctx, inv)
		}
	}
}

func ready(ctx context.Context, r Ready, full string) error {
	bound, cancel := context.WithTimeout(ctx, MaxWait)
	defer cancel()
	err := r.WaitReady(bound)
	var refusal *tools.Refusal
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refusal):
		return err
	case bound.Err() != nil:
		return &tools.Refusal{Outcome: tools.Timeout, Text: fmt.Sprintf("%s was not run: what it needs was not ready within %v. Go on without it, or try once more later.", full, MaxWait)}
	}
	return tools.Fail(fmt.Sprintf("%s was not run: what it needs did not start: %v. Go on without it.", full, err))
}
