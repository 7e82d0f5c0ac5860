package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
	"companion/tools/gate"
)

// fakeTool runs a function; its Spec is all there is to it.
type fakeTool struct {
	spec tools.Spec
	run  func(ctx context.Context, inv *tools.Invocation) (tools.Result, error)
}

func (f fakeTool) Spec() tools.Spec { return f.spec }

func (f fakeTool) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{}, nil
}

// fakePipeline is what the agent needs of a pipeline: lookup, notices, gate, run.
func fakePipeline() tools.Handler {
	return tools.Chain(func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
		return inv.Tool.(fakeTool).run(ctx, inv)
	}, fakeStages, gate.Stage(gate.New()))
}

func fakeStages(next tools.Handler) tools.Handler {
	return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
		return fakeLookup(ctx, inv, next)
	}
}

func fakeLookup(ctx context.Context, inv *tools.Invocation, next tools.Handler) (tools.Result, error) {
	if inv.Refused != nil {
		return tools.Result{}, inv.Refused
	}
	full := tools.Spec{Name: inv.Call.Name, Namespace: inv.Call.Namespace}.Full()
	tool, ok := inv.Box.Find(full)
	if !ok {
		return tools.Result{Outcome: tools.Failed, Text: "there is no tool " + full}, nil
	}
	inv.Tool, inv.Spec = tool, tool.Spec()
	if why := inv.Box.Withheld(full); why != "" {
		return tools.Result{Outcome: tools.Blocked, Text: why}, nil
	}
	if inv.Call.Cut && !inv.Spec.ReadOnly {
		return tools.Result{Outcome: tools.Failed, Text: "the arguments were cut off"}, nil
	}
	inv.Call.Args = inv.Call.Raw
	inv.Notices.Started(inv)
	return next(ctx, inv)
}

func says(text string) func(context.Context, *tools.Invocation) (tools.Result, error) {
	return func(context.Context, *tools.Invocation) (tools.Result, error) {
		return tools.Result{Outcome: tools.OK, Text: text}, nil
	}
}

// oneModel finds one provider under every name.
type oneModel struct {
	p    model.Provider
	card Card
}

func (m oneModel) Find(name string) (model.Provider, Card, error) {
	if name == "none/none" {
		return nil, Card{}, fmt.Errorf("model %q: %w", name, ErrNoModel)
	}
	c := m.card
	if c.ID == "" {
		c.ID = "script/test"
	}
	return m.p, c, nil
}

// recorder keeps the requests that a provider was sent.
type recorder struct {
	model.Provider
	mu   sync.Mutex
	reqs []model.Request
}

func (r *recorder) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	r.mu.Lock()
	req.Items = append([]model.Item(nil), req.Items...)
	r.reqs = append(r.reqs, req)
	r.mu.Unlock()
	return r.Provider.Stream(ctx, req)
}

// rig is an agent with a scripted model and all that it told.
type rig struct {
	t      *testing.T
	agent  *Agent
	rec    *recorder
	script *script.Provider
	dir    string

	mu     sync.Mutex
	events []session.Event
}

type rigOptions struct {
	turns    []script.Turn
	provider model.Provider
	tools    []tools.Tool
	card     Card
	pipeline tools.Handler
	barrier  tools.Barrier
	context  []ContextProvider
	maxSteps int
	dir      string
	wrap     func(Store) Store
	more     func(*Options)
}

func newRig(t *testing.T, o rigOptions) *rig {
	t.Helper()
	r := &rig{t: t, dir: o.dir}
	if r.dir == "" {
		r.dir = t.TempDir()
	}
	p := o.provider
	if p == nil {
		r.script = script.New("test", o.turns...)
		p = r.script
	}
	r.rec = &recorder{Provider: p}
	if o.pipeline == nil {
		o.pipeline = fakePipeline()
	}
	var store Store = session.NewStore(r.dir)
	if o.wrap != nil {
		store = o.wrap(store)
	}
	opts := Options{
		Models: oneModel{r.rec, o.card}, Registry: tools.NewRegistry(o.tools...), Pipeline: o.pipeline, Barrier: o.barrier,
		Context: o.context, Store: store, MaxSteps: o.maxSteps,
		Sink: func(e session.Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e)
		},
	}
	if o.more != nil {
		o.more(&opts)
	}
	r.agent = New(opts)
	t.Cleanup(func() {
		if err := r.agent.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.check()
	})
	return r
}

// turn runs one turn to its end.
func (r *rig) turn(o TurnOptions, text string) Outcome {
	r.t.Helper()
	t := r.newTurn(o, text)
	return t.Run(context.Background())
}

func (r *rig) newTurn(o TurnOptions, text string) *Turn {
	r.t.Helper()
	if o.Roots == nil && o.Thread == "" {
		o.Roots = []string{"/proj"}
	}
	if o.Input == nil {
		o.Input = []session.Input{{Type: "text", Text: text}}
	}
	t, err := r.agent.NewTurn(o)
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

func (r *rig) seen() []session.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]session.Event(nil), r.events...)
}

// line is the types of events, with what tells them apart.
func (r *rig) line() string {
	var out []string
	for _, e := range r.seen() {
		s := string(e.Type)
		switch e.Type {
		case session.UsageReported, session.MessageDelta, session.ReasoningDelta:
			continue
		case session.ToolStarted:
			s += " " + e.CallID + " " + e.Tool.Name
		case session.ToolCompleted:
			s += " " + e.CallID + " " + e.End.Outcome
		case session.TurnCompleted:
			s += " " + e.Status
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// check holds the invariants of every run: gapless seq, each start with one
// end, paired calls in every request, append-only requests, and a log that
// replays the durable events.
func (r *rig) check() {
	r.t.Helper()
	seq := map[string]int64{}
	open := map[string]int{}
	for _, e := range r.seen() {
		if e.Type.Durable() {
			if seq[e.Thread]++; e.Seq != seq[e.Thread] {
				r.t.Errorf("%s has seq %d, want %d", e.Type, e.Seq, seq[e.Thread])
			}
		} else if e.AfterSeq != seq[e.Thread] {
			r.t.Errorf("%s has afterSeq %d, want %d", e.Type, e.AfterSeq, seq[e.Thread])
		}
		switch e.Type {
		case session.ToolStarted:
			open[e.Thread+e.CallID]++
		case session.ToolCompleted:
			open[e.Thread+e.CallID]--
		case session.TurnStarted:
			open[e.Turn]++
		case session.TurnCompleted:
			open[e.Turn]--
		}
	}
	for id, n := range open {
		if n != 0 {
			r.t.Errorf("%s: starts less ends = %d", id, n)
		}
	}
	allowed := map[string]int{} // requests that may begin otherwise than the one before, by thread
	for _, e := range r.seen() {
		if e.Type == session.ContextCompacted || e.Usage != nil && e.Usage.PrefixBroken != "" {
			allowed[e.Thread]++
		}
	}
	last := map[string]model.Request{}
	for i, req := range r.rec.reqs {
		if !sameItems(transcript.Heal(req.Items), req.Items) {
			r.t.Errorf("request %d: calls and results are not paired, or ids are not unique", i+1)
		}
		thread := req.Options.CacheKey
		if n := len(req.Items); n > 0 && req.Items[n-1].ID == "compact" {
			req.Items = req.Items[:n-1] // the question for a summary is no item of the thread
		}
		if prev, ok := last[thread]; ok && !begins(req, prev) {
			if allowed[thread]--; allowed[thread] < 0 {
				r.t.Errorf("request %d does not begin with the instructions, tools and items of the one before, and no usage says why", i+1)
			}
		}
		last[thread] = req
	}
	for thread := range seq {
		if _, err := r.agent.o.Store.Info(thread); errors.Is(err, session.ErrNotFound) {
			continue // deleted
		}
		evs, err := r.agent.Replay(thread, 0)
		if err != nil {
			r.t.Error(err)
			continue
		}
		if int64(len(evs)) < seq[thread] { // another process may have gone on
			r.t.Errorf("thread %s replays %d events, %d were told", thread, len(evs), seq[thread])
		}
	}
}

// begins tells whether a request begins with the one before it (invariant 10).
func begins(req, prev model.Request) bool {
	if req.System != prev.System || len(req.Tools) < len(prev.Tools) || len(req.Items) < len(prev.Items) {
		return false
	}
	for i, t := range prev.Tools {
		if x, y := fmt.Sprintf("%+v", t), fmt.Sprintf("%+v", req.Tools[i]); x != y {
			return false
		}
	}
	return sameItems(prev.Items, req.Items[:len(prev.Items)])
}

func sameItems(a, b []model.Item) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}
