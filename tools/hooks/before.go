package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"companion/tools"
)

// Before is the stage that asks the PreCall hooks, behind Validate and in front
// of Prepare, so that what a hook changes is what is prepared, judged and shown.
func (s *Set) Before() tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			if err := s.each(inv, func(h Hook) bool { return h.Pre != nil }, func(h Hook, c Call) error {
				return s.before(ctx, inv, h, c)
			}); err != nil {
				return tools.Result{}, err
			}
			return next(ctx, inv)
		}
	}
}

func (s *Set) before(ctx context.Context, inv *tools.Invocation, h Hook, c Call) error {
	pre, err := answer(ctx, s, h, Deadline, func(ctx context.Context) (Pre, error) { return h.Pre.PreCall(ctx, c) })
	var failed *failure
	switch {
	case errors.As(err, &failed) && h.Lenient:
		inv.Tell(fmt.Sprintf("(The hook %s failed and was passed over: %s.)", h.Name, failed.text))
		return nil
	case errors.As(err, &failed):
		return blocked("%s was not run: the hook %s, which has to be asked first, failed: %s. Go on without it; the user has to mend the hook.", c.Tool, h.Name, failed.text)
	case err != nil:
		return err
	case pre.Block != "":
		return blocked("%s was not run: the hook %s blocks it: %s. Do not try to reach the same in another way.", c.Tool, h.Name, sentence(pre.Block))
	}
	if pre.Args != nil && !bytes.Equal(pre.Args, c.Args) {
		if err := inv.Rewrite(pre.Args); err != nil {
			return blocked("%s was not run: the hook %s changed its arguments to some that do not fit: %s. Go on without it; the user has to mend the hook.", c.Tool, h.Name, sentence(err.Error()))
		}
		inv.Tell(fmt.Sprintf("(The hook %s changed the arguments. It ran with %s)", h.Name, short(string(inv.Call.Args))))
	}
	if pre.Note != "" {
		inv.Tell(says(h, pre.Note))
	}
	return nil
}

func blocked(format string, args ...any) error {
	return &tools.Refusal{Outcome: tools.Blocked, Text: fmt.Sprintf(format, args...)}
}

func says(h Hook, note string) string { return fmt.Sprintf("(The hook %s says: %s)", h.Name, note) }

// sentence is a text without the full stop at its end.
func sentence(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ".") }

func short(s string) string {
	const most = 1_000 // bytes
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:most], ""), len(s))
}
