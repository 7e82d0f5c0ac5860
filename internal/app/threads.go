package app

import (
	"cmp"
	"context"
	"errors"

	"companion/agent/consent"
	"companion/lspbridge/editor"
	"companion/lspbridge/rpc"
	"companion/permission"
	"companion/tools"
	"companion/tools/router"
)

// maxQuestion is the most characters of a question's one line, which editors show
// in a message.
const maxQuestion = 300

// scene is what settings, rules and switches say of tools in a thread now.
func (c *core) scene(thread string) router.Scene {
	return router.Scene{Switches: c.switches.Load(), Off: c.dynamic.Withhold(thread)}
}

// stand says where each tool stands now in a thread, "" = a new one, for a
// model, "" = the thread's.
func (c *core) stand(thread, model string, specs []tools.Spec) ([]tools.Standing, error) {
	in := c.scene(thread)
	mode, own := c.agent.Setup(thread)
	in.Mode = cmp.Or(mode, c.mode(), tools.ModeAgent)
	_, card, err := c.models.Known(cmp.Or(model, own, c.models.Standard()))
	if err != nil && card.ID == "" && model != "" { // without a key the card is known all the same
		return nil, err
	}
	in.Model = router.Model{Search: card.ToolSearch, Images: card.Images, Edit: card.EditTool}
	return router.Stand(specs, in), nil
}

// forget drops what other rooms keep of a deleted thread.
func (c *core) forget(thread string) {
	c.shell.CloseThread(thread)
	c.dynamic.ForgetThread(thread)
	c.granted.Forget(thread)
	if err := c.changes.Forget(thread); err != nil {
		c.log.Error("forgetting changes", "thread", thread, "err", err)
	}
}

// asks puts the agent's questions about a thread to a person; nil without asker,
// where who starts companion has said what it may do.
func asks(asker permission.Asker) consent.Ask {
	if asker == nil {
		return nil
	}
	return func(ctx context.Context, q consent.Question) (consent.Reply, error) {
		yes := permission.AllowOnce
		if q.ForThread {
			yes = permission.AllowThread
		}
		a, err := asker.Ask(ctx, permission.Request{
			Thread: q.Thread, Turn: q.Turn, CallID: q.CallID, Kind: permission.Kind(q.Kind),
			Title: permission.Folded(permission.Visible(q.Title), maxQuestion), Detail: permission.VisibleLines(q.Detail),
			Preview: tools.Preview{Text: permission.VisibleLines(q.Plan)}, Arguments: q.Arguments,
			Options: []permission.Option{
				{ID: "once", Label: q.Yes, Kind: yes},
				{ID: "reject", Label: cmp.Or(q.No, "Reject"), Kind: permission.RejectOnce},
				{ID: "stop", Label: "Stop", Kind: permission.StopTurn},
			},
		})
		switch {
		case errors.Is(err, permission.ErrNobody):
			return consent.Reply{}, consent.ErrNobody
		case errors.Is(err, editor.ErrMalformed):
			return consent.Reply{}, nil
		case errors.Is(err, rpc.ErrClosed): // who could answer is gone
			return consent.Reply{}, tools.ErrStopped
		case err != nil:
			return consent.Reply{}, err
		case a.OptionID == "stop":
			return consent.Reply{}, tools.ErrStopped
		}
		return consent.Reply{Yes: a.OptionID == "once", Feedback: a.Feedback}, nil
	}
}
