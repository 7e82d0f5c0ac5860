package agent

import (
	"context"
	"iter"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// searching is a vendor that searches the web in its first answer, between a
// call of ours and its result.
type searching struct{}

func (searching) Name() string { return "script" }

func (searching) Stream(_ context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		items := []model.Item{{Kind: model.Message, Role: model.Assistant, ID: "m", Text: "Found."}}
		stop := model.StopEnd
		if req.Items[len(req.Items)-1].Kind == model.Message {
			stop = model.StopTools
			items = []model.Item{
				{Kind: model.ToolCall, ID: "a", CallID: "a", Name: "look", Arguments: "{}"},
				{Kind: model.ToolCall, ID: "b", CallID: "b", Name: "web_search", Hosted: true, Arguments: `{"query":"go"}`, Raw: []byte(`{"id":"b"}`), RawFor: "x"},
				{Kind: model.ToolReply, ID: "c", CallID: "b", Name: "web_search", Hosted: true, Text: "News", Raw: []byte(`{"of":"b"}`), RawFor: "x"},
			}
		}
		for _, it := range items {
			if !yield(model.Event{Kind: model.ItemDone, ItemID: it.ID, Item: &it}, nil) {
				return
			}
		}
		yield(model.Event{Kind: model.Done, Stop: stop}, nil)
	}
}

func TestSearchesOfTheVendorAreCallsThatNobodyRuns(t *testing.T) {
	look := fakeTool{spec: tools.Spec{Name: "look", ReadOnly: true}, run: says("seen")}
	r := newRig(t, rigOptions{provider: searching{}, tools: []tools.Tool{look}})
	r.turn(TurnOptions{}, "news?")
	r.check()
	started, ended := map[string]string{}, map[string]string{}
	for _, e := range r.seen() {
		switch e.Type {
		case session.ToolStarted:
			started[e.CallID] = e.Tool.Name + " " + e.Tool.Source + " " + e.Tool.Arguments
		case session.ToolCompleted:
			if ended[e.CallID] != "" {
				t.Errorf("call %s ends twice", e.CallID)
			}
			ended[e.CallID] = e.End.Name + " " + e.End.Outcome + " " + e.End.Text
		}
	}
	if started["c1"] != "look builtin {}" || ended["c1"] != "look ok seen" || started["c2"] != `web_search hosted {"query":"go"}` || ended["c2"] != "web_search ok News" || len(ended) != 2 {
		t.Errorf("started %q, ended %q", started, ended)
	}
	reqs := r.rec.reqs
	var sent []string
	for _, it := range reqs[len(reqs)-1].Items {
		if it.Kind == model.ToolCall || it.Kind == model.ToolReply {
			sent = append(sent, string(it.Kind)+" "+it.Name+" "+string(it.Raw))
		}
	}
	if got := strings.Join(sent, "|"); got != `call look |call web_search {"id":"b"}|result web_search {"of":"b"}|result look ` {
		t.Errorf("sent again: %s", got)
	}
}
