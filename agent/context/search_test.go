package context

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"companion/agent"
	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
	"companion/tools/find"
)

// works is a tool that says what it was called with.
type works struct{ spec tools.Spec }

func (w works) Spec() tools.Spec { return w.spec }

func (w works) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Outcome: tools.OK, Text: "done by " + w.spec.Full() + " with " + string(call.Args)}, nil
	}}, nil
}

// recorded finds one scripted model and keeps what it was asked.
type recorded struct {
	model.Provider
	card agent.Card
	mu   sync.Mutex
	reqs []model.Request
}

func (r *recorded) Find(string) (model.Provider, agent.Card, error) { return r, r.card, nil }

func (r *recorded) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	r.mu.Lock()
	r.reqs = append(r.reqs, req)
	r.mu.Unlock()
	return r.Provider.Stream(ctx, req)
}

// shown are the tools that the model sees in a request, deferred ones only
// once they were found.
func shown(req model.Request) (out []string) {
	for _, t := range req.Tools {
		if !t.Deferred {
			out = append(out, tools.Spec{Name: t.Name, Namespace: t.Namespace}.Full())
		}
	}
	return out
}

// crowd are 300 tools: tool_search, 9 direct ones and 290 of 29 namespaces,
// among them crm.create_deal.
func crowd(cache *find.Cache) []tools.Tool {
	out := []tools.Tool{find.Tool(cache)}
	in := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)
	for i := range 9 {
		out = append(out, works{tools.Spec{Name: fmt.Sprintf("plain%d", i), Description: "Always there.", Input: in, ReadOnly: true}})
	}
	for i := range 29 {
		for j := range 10 {
			s := tools.Spec{
				Namespace: fmt.Sprintf("service%d", i), Name: fmt.Sprintf("operate%d", j), Description: "Operates a machine.",
				Input: in, Exposure: tools.Deferred, Source: tools.Dynamic, ReadOnly: true,
			}
			if i == 28 {
				s.Namespace = "crm"
			}
			if i == 28 && j == 0 {
				s.Name, s.Description = "create_deal", "Opens a deal with a customer."
			}
			out = append(out, works{s})
		}
	}
	return out
}

func talk(t *testing.T, card agent.Card, turns ...script.Turn) (*agent.Agent, *recorded) {
	t.Helper()
	cache := find.NewCache()
	r := &recorded{Provider: script.New("test", turns...), card: card}
	a := agent.New(agent.Options{
		Models: r, Registry: tools.NewRegistry(crowd(cache)...), Store: session.NewStore(t.TempDir()), Context: Tools(cache),
		Pipeline: tools.Chain(tools.Run, tools.Answer(slog.New(slog.DiscardHandler)), tools.Lookup(), tools.Validate(), tools.Prepare()),
		Sink:     func(session.Event) {},
	})
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a, r
}

func said(t *testing.T, a *agent.Agent, thread, text string) agent.Outcome {
	t.Helper()
	o := agent.TurnOptions{Thread: thread, Input: []session.Input{{Type: "text", Text: text}}}
	if thread == "" {
		o.Roots = []string{"/proj"}
	}
	turn, err := a.NewTurn(o)
	if err != nil {
		t.Fatal(err)
	}
	out := turn.Run(t.Context())
	if out.Status != agent.Completed {
		t.Fatalf("%s: %s", out.Status, out.Error)
	}
	return out
}

func TestOf300ToolsTheRightOneIsFoundAndCalledToTheEndOfTheThread(t *testing.T) {
	deal := script.Call{Name: "create_deal", Namespace: "crm", Arguments: json.RawMessage(`{"name":"Acme"}`)}
	a, r := talk(t, agent.Card{ID: "script/test", ToolSearch: true, Namespaces: true, Late: true},
		script.Turn{
			Expect: []string{"tool_search finds them:", "- crm (10 tools): create, operate1", "may be about these, which tool_search finds: crm.create_deal"},
			Calls:  []script.Call{{Name: "tool_search", Arguments: json.RawMessage(`{"query":"open a deal","limit":3}`)}},
		},
		script.Turn{Expect: []string{"- crm.create_deal(name?): Opens a deal with a customer."}, Calls: []script.Call{deal}},
		script.Turn{Expect: []string{`done by crm.create_deal with {"name":"Acme"}`}, Text: "It is open."},
		script.Turn{Calls: []script.Call{deal}},
		script.Turn{Text: "Opened again."},
	)
	first := said(t, a, "", "Open a deal with Acme")
	second := said(t, a, first.Thread, "And once more")
	if first.Text != "It is open." || second.Text != "Opened again." {
		t.Errorf("%q, %q", first.Text, second.Text)
	}
	if got := shown(r.reqs[0]); len(got) != 10 || !slices.Contains(got, "tool_search") {
		t.Errorf("the first request shows %v", got)
	}
	last := r.reqs[len(r.reqs)-1]
	done := 0
	for _, it := range last.Items {
		if it.Kind == model.ToolReply && strings.HasPrefix(it.Text, "done by crm.create_deal") {
			done++
		}
	}
	if done != 2 {
		t.Errorf("%d calls were done", done)
	}
	for i, req := range r.reqs[1:] {
		for j, it := range r.reqs[i].Items {
			if req.Items[j].Text != it.Text {
				t.Fatalf("request %d changes item %d: %q is now %q", i+2, j, it.Text, req.Items[j].Text)
			}
		}
	}
}

func TestAModelWithoutSearchIsShownAllTools(t *testing.T) {
	a, r := talk(t, agent.Card{ID: "script/test"}, script.Turn{Refuse: []string{"tool_search"}, Text: "Hello."})
	said(t, a, "", "Open a deal with Acme")
	if got := shown(r.reqs[0]); len(got) != 299 || !slices.Contains(got, "crm.create_deal") || slices.Contains(got, "tool_search") {
		t.Errorf("%d tools are shown", len(got))
	}
}
