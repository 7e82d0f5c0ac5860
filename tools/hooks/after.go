package hooks

import (
	"context"
	"errors"
	"fmt"

	"companion/tools"
)

// After is the stage around Answer that asks the PostCall hooks about the
// results of calls that ran. Result.Real keeps what the model does not get.
func (s *Set) After() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			res, err := next(ctx, inv)
			if err != nil || !inv.HasRun() {
				return res, err
			}
			// A stop does not let through what a hook would withhold.
			ctx = context.WithoutCancel(ctx)
			return res, s.each(inv, func(h Hook) bool { return h.Post != nil }, func(h Hook, c Call) error {
				s.after(ctx, &res, h, c)
				return nil
			})
		}
	}
}

func (s *Set) after(ctx context.Context, res *tools.Result, h Hook, c Call) {
	seen := *res
	post, err := answer(ctx, s, h, Deadline, func(ctx context.Context) (Post, error) { return h.Post.PostCall(ctx, c, seen) })
	var failed *failure
	switch {
	case errors.As(err, &failed) && h.Lenient:
		res.Text += fmt.Sprintf("\n(The hook %s failed and was passed over: %s.)", h.Name, failed.text)
	case errors.As(err, &failed):
		withhold(res, fmt.Sprintf("%s ran (%s), and its result is withheld: the hook %s, which has to see it first, failed: %s. What the call did stands; the user has to mend the hook.",
			c.Tool, res.Outcome, h.Name, failed.text))
		res.Outcome = tools.Blocked
	case post.Veto != "":
		withhold(res, fmt.Sprintf("%s ran (%s), and the hook %s withheld its result: %s. What the call did stands. Do not try to read the result in another way.",
			c.Tool, res.Outcome, h.Name, sentence(post.Veto)))
		res.Outcome = tools.Blocked
	case post.Replace != nil:
		withhold(res, *post.Replace)
	}
	if post.Note != "" {
		res.Text += "\n" + says(h, post.Note)
	}
}

// withhold puts another text in the place of all that the model would read.
func withhold(res *tools.Result, text string) {
	if res.Real == "" {
		res.Real = res.Text
	}
	if text == "" {
		text = "(A hook left nothing of the result.)"
	}
	res.Text, res.Content, res.Structured, res.Loads = text, nil, nil, nil
}
