package hands

import (
	"cmp"
	"context"
	"errors"

	"companion/agent/consent"
	"companion/lspbridge/editor"
	"companion/lspbridge/rpc"
	"companion/permission"
	"companion/tools"
)

// maxQuestion is the most characters of a question's one line, which editors show
// in a message.
const maxQuestion = 300

// Asks puts the agent's questions about a thread to a person; nil without asker,
// where who starts companion has said what it may do.
func Asks(asker permission.Asker) consent.Ask {
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
