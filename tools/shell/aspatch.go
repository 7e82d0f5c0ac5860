package shell

import (
	"context"
	"path/filepath"

	"companion/tools"
	"companion/tools/shell/patchline"
)

// asPatch takes a line that only applies a patch for that patch: its effects
// are writes, and no program runs.
func (x *Shell) asPatch(ctx context.Context, call tools.Call, line, dir string) (action tools.Action, ok bool, err error) {
	sub, patch, ok := patchline.Find(line)
	if !ok {
		return action, false, nil
	}
	if filepath.IsAbs(sub) {
		dir = sub
	} else if sub != "" {
		dir = filepath.Join(dir, sub)
	}
	action, err = x.patch(ctx, call, dir, patch)
	if err != nil {
		return action, true, err
	}
	run := action.Run
	action.Run = func(ctx context.Context, out tools.Progress) (tools.Result, error) {
		res, err := run(ctx, out)
		if err == nil {
			res.Text = "(The line was taken as a call of `apply_patch`, which is a tool and no program; call it directly.)\n" + res.Text
		}
		return res, err
	}
	return action, true, nil
}
