package app

import (
	"context"
	"errors"
	"fmt"

	"companion/agent"
	"companion/lspbridge/editor"
	"companion/permission"
	"companion/tools"
	"companion/tools/router"
)

// scene is what settings, rules and switches say of tools in a thread now.
func (c *core) scene(thread string) router.Scene {
	return router.Scene{Switches: c.switches.Load(), Off: c.dynamic.Withhold(thread)}
}

// withhold says why a tool may not be called in a thread now, "" = it may.
func (c *core) withhold(thread string, s tools.Spec) string {
	why, _ := router.Barred(s, c.scene(thread))
	return why
}

// forget drops what other rooms keep of a deleted thread.
func (c *core) forget(thread string) {
	c.dynamic.ForgetThread(thread)
	if err := c.changes.Forget(thread); err != nil {
		c.log.Error("forgetting changes", "thread", thread, "err", err)
	}
}

// modeDetail says what a mode lets the agent do.
func modeDetail(m tools.Mode) string {
	switch m {
	case tools.ModeFull:
		return "In mode full nothing is asked any more: the agent changes files and runs commands, also outside the folder, unless a rule denies it."
	case tools.ModeAgent:
		return "In mode agent files of the folder are changed without asking; commands are asked for unless a rule allows them."
	case tools.ModeEdit:
		return "In mode edit the agent may change files, and asks before each change."
	}
	return fmt.Sprintf("In mode %s nothing is changed.", m)
}

// allowMode asks a person before a thread gets more rights; nil without asker,
// where who starts companion has said what it may do.
func allowMode(asker permission.Asker) func(context.Context, agent.ModeQuestion) (bool, error) {
	if asker == nil {
		return nil
	}
	return func(ctx context.Context, q agent.ModeQuestion) (bool, error) {
		a, err := asker.Ask(ctx, permission.Request{
			Thread: q.Thread, Turn: q.Turn, CallID: q.CallID, Kind: permission.KindMode,
			Title:     fmt.Sprintf("Let this thread work in mode %s (now: %s)", q.To, q.From),
			Detail:    modeDetail(q.To),
			Arguments: fmt.Appendf(nil, `{"from":%q,"to":%q}`, q.From, q.To),
			Options: []permission.Option{
				{ID: "once", Label: "Allow", Kind: permission.AllowOnce},
				{ID: "reject", Label: "Reject", Kind: permission.RejectOnce},
				{ID: "stop", Label: "Stop", Kind: permission.StopTurn},
			},
		})
		switch {
		case errors.Is(err, permission.ErrNobody), errors.Is(err, editor.ErrMalformed):
			return false, nil
		case err != nil:
			return false, err
		case a.OptionID == "stop":
			return false, tools.ErrStopped
		}
		return a.OptionID == "once", nil
	}
}
