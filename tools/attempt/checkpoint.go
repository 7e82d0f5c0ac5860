package attempt

import (
	"context"
	"fmt"
	"slices"

	"companion/tools"
)

// Before writes down, before a call runs, what the files that it is going to
// change are now. What calls changed is recorded by the agent after they ran;
// this is for what they do not tell, or do not live to tell.
type Before interface {
	Before(ctx context.Context, thread, turn, call string, paths []string) error
}

// Checkpoint is the stage that asks b for each call that declares what it
// writes, behind the gate, so that nothing moves between the record and the
// run. A call whose files cannot be recorded is not run. nil does nothing.
func Checkpoint(b Before) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			if paths := written(inv.Action); b != nil && len(paths) > 0 {
				if err := b.Before(ctx, inv.Call.Thread, inv.Call.Turn, inv.Call.ID, paths); err != nil {
					if ctx.Err() != nil {
						return tools.Result{}, ctx.Err()
					}
					return tools.Result{}, tools.Fail(fmt.Sprintf("%s was not run: what its files are now could not be recorded, so that it could not be undone: %v.", inv.Spec.Full(), err))
				}
			}
			return next(ctx, inv)
		}
	}
}

func written(a tools.Action) []string {
	var paths []string
	for _, e := range a.Effects {
		if e.Kind == tools.Write && e.Path != "" && !slices.Contains(paths, e.Path) {
			paths = append(paths, e.Path)
		}
	}
	return paths
}
