package attempt

import (
	"context"
	"errors"
	"slices"

	"companion/tools"
)

// Confined is the error of a run that a sandbox stopped. Again is the same call
// with the rights that it lacked; its Effects say which, as tools.Escalate at
// least, so that the policy judges them.
type Confined struct {
	Why   string // what was denied: "writing /etc/hosts"
	Again tools.Action
}

func (c *Confined) Error() string { return "the sandbox denied it: " + c.Why }

// Escalate runs a call once more where the sandbox stopped it and the checks
// (policy, approval) let it have what it lacked. It stands in front of the gate:
// no lock is held while a person is asked. What was approved for the first run
// does not count for the second, which is judged by all of its effects.
func Escalate() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			res, err := next(ctx, inv)
			var confined *Confined
			if !errors.As(err, &confined) {
				return res, err
			}
			if confined.Again.Run == nil || !slices.ContainsFunc(confined.Again.Effects, func(e tools.Effect) bool { return e.Kind == tools.Escalate }) {
				return tools.Result{}, stopped(inv, confined)
			}
			first := inv.Action
			inv.Action = confined.Again
			if inv.Action.Activity == "" {
				inv.Action.Activity = first.Activity
			}
			if err := inv.Recheck(ctx); err != nil {
				var refusal *tools.Refusal
				if errors.As(err, &refusal) {
					inv.Tell("(It ran in a sandbox, which denied it: " + confined.Why + ". What it did until then stands.)")
				}
				return tools.Result{}, err
			}
			res, err = next(ctx, inv)
			if errors.As(err, &confined) {
				return tools.Result{}, stopped(inv, confined)
			}
			return res, err
		}
	}
}

func stopped(inv *tools.Invocation, c *Confined) error {
	return tools.Fail(inv.Spec.Full() + " failed: " + c.Error() + ". What it did until then stands. Do it without that, or say what you need it for.")
}
