package editor

import (
	"context"

	"companion/permission"
)

// The answers to a question of trust.
const (
	TrustYes = "Trust"
	TrustNo  = "Not now"
)

// AskTrust asks by approval where the client takes approvals over, else by a
// message request; "" = no answer.
func (e *Editor) AskTrust(ctx context.Context, root, title string) (string, error) {
	if !e.Client.Companion.Approvals {
		return e.AskMessage(ctx, title, []string{TrustYes, TrustNo})
	}
	a, err := e.putCompanion(ctx, permission.Request{
		CallID: "trust:" + root, Kind: permission.KindTrust, Title: Plain(title), Detail: root,
		Options: []permission.Option{
			{ID: TrustYes, Label: TrustYes, Kind: permission.AllowAlways},
			{ID: TrustNo, Label: TrustNo, Kind: permission.RejectOnce},
		},
	})
	return a.OptionID, err
}
