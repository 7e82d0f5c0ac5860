package context

import (
	"context"

	"companion/agent"
)

// Plan tells a plan whose call is not sent any more: the thread was shortened
// since.
type Plan struct{}

// Name implements agent.ContextProvider.
func (Plan) Name() string { return "plan" }

// Section implements agent.ContextProvider.
func (Plan) Section(_ context.Context, t agent.ThreadView) (string, error) {
	if t.Plan == "" {
		return "", nil
	}
	return "Your plan, as it was when the thread was shortened ([x] completed, [>] in progress); what update_plan says from here on takes its place:\n" + t.Plan, nil
}
