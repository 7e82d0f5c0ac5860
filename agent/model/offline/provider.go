package offline

import (
	"context"
	"fmt"
	"iter"

	"companion/agent/model"
)

// Provider is the deterministic model. The zero value is ready.
type Provider struct{}

// New gives the provider of "offline/quickfix".
func New() Provider { return Provider{} }

// Name implements model.Provider.
func (Provider) Name() string { return "offline" }

// Stream implements model.Provider.
func (Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Event{}, err)
			return
		}
		id := fmt.Sprintf("offline-%d", len(req.Items))
		n := next(req.Items)
		stop := model.StopTools
		it := model.Item{Kind: model.ToolCall, ID: id, CallID: id, Name: n.name, Arguments: n.args}
		if n.name == "" {
			stop = model.StopEnd
			it = model.Item{Kind: model.Message, ID: id, Role: model.Assistant, Text: n.text}
			if !yield(model.Event{Kind: model.TextDelta, ItemID: id, Text: n.text}, nil) {
				return
			}
		}
		_ = yield(model.Event{Kind: model.ItemDone, ItemID: id, Item: &it}, nil) &&
			yield(model.Event{Kind: model.UsageSeen, Usage: &model.Usage{}}, nil) &&
			yield(model.Event{Kind: model.Done, Stop: stop}, nil)
	}
}
