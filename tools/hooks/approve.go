package hooks

import (
	"context"
	"errors"
	"fmt"

	"companion/tools"
)

// Approve is the stage between policy and approval that lets hooks answer in
// place of a person. It answers anew each time a call is prepared again.
func (s *Set) Approve() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			told := false
			check := func(ctx context.Context, inv *tools.Invocation) error { return s.approve(ctx, inv, &told) }
			if err := check(ctx, inv); err != nil {
				return tools.Result{}, err
			}
			inv.OnReprepare(check)
			return next(ctx, inv)
		}
	}
}

func (s *Set) approve(ctx context.Context, inv *tools.Invocation, told *bool) error {
	if inv.Verdict.Allow {
		return nil
	}
	allowed := false
	decided := func(decision string) {
		if !*told {
			*told = true
			inv.Decided(decision, "hook")
		}
	}
	err := s.each(inv, func(h Hook) bool { return h.Approve != nil }, func(h Hook, c Call) error {
		q := Question{Why: inv.Verdict.Why, Effects: inv.Action.Effects, Preview: inv.Action.Preview}
		a, err := answer(ctx, s, h, Deadline, func(ctx context.Context) (Answer, error) { return h.Approve.Approve(ctx, c, q) })
		var failed *failure
		switch {
		case errors.As(err, &failed): // the person is asked
			return nil
		case err != nil:
			return err
		case a.Decision == Deny:
			decided("rejectOnce")
			text := fmt.Sprintf("Denied, and not run: the hook %s refused in the user's place. Do not retry it and do not work around it.", h.Name)
			if a.Text != "" {
				text += " It says: " + a.Text
			}
			return &tools.Refusal{Outcome: tools.Denied, Text: text}
		case a.Decision == Allow:
			allowed = true
		}
		return nil
	})
	if err == nil && allowed && !inv.Verdict.Once {
		inv.Verdict = tools.Verdict{Allow: true}
		decided("allowOnce")
	}
	return err
}
