package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/panics"

	"companion/agent/model"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// call is one call of a step on its way.
type call struct {
	t       *Turn
	item    model.Item
	inv     *tools.Invocation
	spec    tools.Spec // as the box has it; zero for an unknown name
	started bool
	begun   time.Time
	ended   chan struct{}

	result  tools.Result
	err     error
	left    bool // did not end in time: inv belongs to what still runs
	unknown bool
	unrun   string // why it is not run at all

	notices notices
}

func (s *step) newCall(it model.Item) *call {
	view := s.t.view()
	c := &call{t: s.t, item: it, ended: make(chan struct{})}
	full := tools.Spec{Name: it.Name, Namespace: it.Namespace}.Full()
	if tool, ok := s.box.Find(full); ok {
		c.spec = tool.Spec()
	}
	raw := json.RawMessage(it.Arguments)
	if strings.TrimSpace(it.Arguments) == "" && !it.Incomplete {
		raw = json.RawMessage("{}")
	}
	c.notices.call = c
	c.inv = &tools.Invocation{
		Call: tools.Call{
			Thread: s.t.thread.id, Turn: s.t.id, Step: s.t.steps, ID: it.CallID, Mode: s.t.mode, Roots: view.Roots,
			Name: it.Name, Namespace: it.Namespace, Raw: raw, Cut: it.Incomplete,
		},
		Box: s.box, Progress: &c.notices, Notices: &c.notices,
	}
	s.calls = append(s.calls, c)
	return c
}

// complete tells whether the call can start before the stream has ended:
// arguments that are no JSON may turn out to be cut off.
func (c *call) complete() bool { return !c.item.Incomplete && json.Valid(c.inv.Call.Raw) }

// judge decides about a call that could not start early, once it is known how
// the stream ended.
func (c *call) judge(s *step) {
	switch {
	case s.err != nil:
		c.unrun = "not run: the model's answer broke off in the middle of this call"
	case s.stop == model.StopLength:
		c.inv.Call.Cut = true
	}
}

// launch runs the call beside others. Read-only calls wait for the writers
// before them, any other call for all calls before it.
func (s *step) launch(ctx context.Context, c *call) {
	c.started, c.begun = true, time.Now()
	var before []*call
	for _, o := range s.calls {
		if o == c {
			break
		}
		if !c.spec.ReadOnly || !o.spec.ReadOnly {
			before = append(before, o)
		}
	}
	turnCtx := s.t.ctx
	s.running.Go(func() {
		defer close(c.ended)
		for _, o := range before {
			select {
			case <-o.ended:
			case <-turnCtx.Done():
			}
		}
		c.run(turnCtx)
	})
}

// run brings the call through the pipeline. It returns at most tools.Grace
// after ctx ended, whether the call did or not.
func (c *call) run(ctx context.Context) {
	switch {
	case c.unrun != "":
		c.result = tools.Result{Outcome: tools.Aborted, Text: c.unrun}
		return
	case ctx.Err() != nil:
		c.result = tools.Result{Outcome: tools.Aborted, Text: c.abortedText("It was not run.")}
		return
	}
	type end struct {
		res tools.Result
		err error
	}
	done := make(chan end, 1)
	c.t.a.calls.Go(func() {
		var e end
		if p := panics.Try(func() { e.res, e.err = c.t.a.o.Pipeline(ctx, c.inv) }); p != nil {
			c.t.a.o.Log.Error("a tool call panicked", "tool", c.item.Name, "call", c.item.CallID, "panic", p.AsError())
			e.res = tools.Result{
				Outcome: tools.Failed,
				Text:    fmt.Sprintf("%s failed by a defect of companion (%v); it may have had part of its effect", c.item.Name, p.Value),
			}
			e.err = nil
		}
		done <- e
	})
	var e end
	select {
	case e = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(tools.Grace)
		defer grace.Stop()
		select {
		case e = <-done:
		case <-grace.C:
			c.left = true
			c.result = tools.Result{Outcome: tools.Aborted, Text: c.abortedText("It did not end in time and may still have its effect.")}
			return
		}
	}
	c.result, c.err = e.res, e.err
	c.word(ctx)
}

// word makes a result of every end that the pipeline left without words.
func (c *call) word(ctx context.Context) {
	r := &c.result
	switch {
	case c.err == nil, errors.Is(c.err, tools.ErrStopped):
	case ctx.Err() != nil:
		c.err = nil
		*r = tools.Result{Outcome: tools.Aborted, Text: c.abortedText(r.Text)}
	default:
		var refusal *tools.Refusal
		if errors.As(c.err, &refusal) {
			c.err = nil
			*r = tools.Result{Outcome: refusal.Outcome, Text: refusal.Text}
			break
		}
		*r = tools.Result{Outcome: tools.Failed, Text: "internal error: " + c.err.Error()}
	}
	if r.Outcome == "" {
		r.Outcome = tools.OK
	}
	if r.Outcome == tools.Aborted && !strings.Contains(strings.ToLower(r.Text), "aborted") {
		r.Text = c.abortedText(r.Text)
	}
	if strings.TrimSpace(r.Text) == "" {
		r.Text = fmt.Sprintf("%s: %s, without output", c.item.Name, r.Outcome)
	}
}

func (c *call) abortedText(more string) string {
	text := fmt.Sprintf("aborted by user after %.1f s", time.Since(c.begun).Seconds())
	if more = strings.TrimSpace(more); more != "" {
		text += ". " + more
	}
	return text
}

// settle runs the barrier and appends the results, in call order.
func (s *step) settle(ctx context.Context) {
	if len(s.calls) == 0 {
		return
	}
	var finished []tools.Finished
	for _, c := range s.calls {
		if !c.left {
			finished = append(finished, tools.Finished{Inv: c.inv, Result: &c.result})
			c.unknown = c.inv.Tool == nil && c.spec.Name == "" && c.result.Outcome == tools.Failed
		}
		if c.err != nil && s.fatal == nil {
			s.fatal = c.err
		}
	}
	if b := s.t.a.o.Barrier; b != nil && ctx.Err() == nil && len(finished) > 0 {
		if p := panics.Try(func() { b.AfterStep(ctx, finished) }); p != nil {
			s.t.a.o.Log.Error("the feedback of a step panicked", "turn", s.t.id, "panic", p.AsError())
			s.t.warn("feedback", fmt.Sprintf("a defect of companion kept the feedback of this step back: %v", p.Value))
		}
	}
	for _, c := range s.calls {
		c.conclude()
	}
	s.t.thread.Sync()
}

// conclude is the end of a call as the thread hears it: tool.completed and the
// result item, together.
func (c *call) conclude() {
	th := c.t.thread
	c.notices.close()
	end := session.CallEnd{
		Name: c.item.Name, Outcome: string(c.result.Outcome), Text: c.result.Text, Display: c.result.Display,
		Truncated: c.result.Truncated, FullOutput: c.result.FullOutput,
	}
	for _, ch := range c.result.Changed {
		end.Changed = append(end.Changed, ch.Path)
	}
	if !c.left {
		end.QueuedMs, end.RanMs, end.SettleMs = c.inv.Queued.Milliseconds(), c.inv.Ran.Milliseconds(), c.inv.Settled.Milliseconds()
		if len(end.Changed) > 0 {
			end.Diff = c.inv.Action.Preview.Diff
		}
		for _, e := range c.inv.Action.Effects {
			if e.Kind == tools.Read || e.Kind == tools.Write {
				th.Touch(e.Path)
			}
		}
	}
	th.Touch(end.Changed...)
	if r := c.result.Report; r != nil {
		end.Report = transcript.Report(r)
	}
	it := model.Item{
		Kind: model.ToolReply, CallID: c.item.CallID, Name: c.item.Name, Namespace: c.item.Namespace,
		Text: c.result.Text, IsError: c.result.Outcome != tools.OK,
	}
	for _, part := range c.result.Content {
		if part.Kind == tools.ImageContent && len(part.Data) > 0 {
			it.Images = append(it.Images, model.Image{MimeType: part.MimeType, Data: part.Data})
		}
	}
	c.t.emit(session.Event{Type: session.ToolCompleted, ItemID: c.item.ID, CallID: c.item.CallID, End: &end}, th.Add(it, ""))
}

// notices tells the life of one call; after close it is deaf.
type notices struct {
	call    *call
	mu      sync.Mutex
	started bool
	closed  bool
}

// Started implements tools.Notices.
func (n *notices) Started(inv *tools.Invocation) {
	spec := inv.Spec
	if spec.Name == "" {
		spec = n.call.spec
	}
	n.start(spec, inv.Action, inv.Call)
}

func (n *notices) start(spec tools.Spec, action tools.Action, tc tools.Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.started || n.closed {
		return
	}
	n.started = true
	info := session.ToolInfo{
		Name: spec.Name, Namespace: spec.Namespace, Source: string(spec.Source), Activity: action.Activity,
		ReadOnly: spec.ReadOnly, Arguments: string(tc.Args),
	}
	if info.Name == "" {
		info.Name, info.Namespace = tc.Name, tc.Namespace
	}
	if info.Source == "" {
		info.Source = string(tools.BuiltIn)
	}
	if info.Activity == "" {
		info.Activity = "Calling " + info.Name
	}
	for _, l := range action.Locations {
		info.Locations = append(info.Locations, session.Location(l))
	}
	n.tell(session.Event{Type: session.ToolStarted, Tool: &info})
}

// Asked implements tools.Asked.
func (n *notices) Asked(*tools.Invocation) { n.heard(session.Event{Type: session.ApprovalRequested}) }

// Approval implements tools.Notices.
func (n *notices) Approval(_ *tools.Invocation, decision, by string) {
	n.heard(session.Event{Type: session.ApprovalResolved, Decision: decision, By: by})
}

// Output implements tools.Progress.
func (n *notices) Output(text string) { n.heard(session.Event{Type: session.ToolOutput, Text: text}) }

// Activity implements tools.Progress.
func (n *notices) Activity(text string) {
	n.heard(session.Event{Type: session.ToolProgress, Text: text})
}

func (n *notices) heard(e session.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.tell(e)
	}
}

// tell emits; the caller holds mu, which keeps the call's events in order.
func (n *notices) tell(e session.Event) {
	e.ItemID, e.CallID = n.call.item.ID, n.call.item.CallID
	n.call.t.emit(e)
}

// close makes sure that the call was told of and ends what it tells.
func (n *notices) close() {
	c := n.call
	tc := tools.Call{Name: c.item.Name, Namespace: c.item.Namespace}
	n.start(c.spec, tools.Action{}, tc)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}
