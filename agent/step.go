package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"companion/agent/guard"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/session"
	"companion/tools"
)

// maxCalls is how many calls of a step run at the same time.
const maxCalls = 8

// step is one request to the model and the calls that came back.
type step struct {
	t   *Turn
	box *tools.Box
	// running is a pool and not conc's stream, whose channels are shared by the
	// whole process and so cannot be used under testing/synctest; call order
	// comes from the order of calls.
	running *pool.Pool

	ids      map[string]string // provider's id of an open item → ours
	parts    map[string]*partial
	order    []string // ids of parts
	calls    []*call
	items    int // that the model gave
	messages int // of those

	usage  *model.Usage
	broken string // why the prefix of the request is a new one
	sent   model.Request

	stop   model.Stop
	detail string
	err    error // of the provider
	fatal  error // of a call: the turn cannot go on
}

// partial is the text of an item that is still coming.
type partial struct {
	id   string
	kind model.EventKind
	text strings.Builder
}

// step sends the transcript, streams the answer, runs the calls and appends
// everything to the transcript.
func (t *Turn) step(ctx context.Context) *step {
	s := &step{t: t, box: t.thread.box(t.mode), ids: map[string]string{}, parts: map[string]*partial{}}
	s.running = pool.New().WithMaxGoroutines(maxCalls)
	streamCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.sent, s.broken = t.thread.request(t.card, s.box, model.Options{
		MaxOutput: t.card.MaxOutput, Effort: t.o.Effort, CacheKey: t.thread.id, SerialCalls: !t.card.ParallelCalls,
		OnRetry: func(n model.RetryNotice) { s.retried(n, cancel) },
	})
	if p := panics.Try(func() { s.stream(streamCtx) }); p != nil {
		t.a.o.Log.Error("a provider panicked", "model", t.card.ID, "panic", p.AsError())
		s.err = fmt.Errorf("a defect of companion in the provider of %s: %v", t.card.ID, p.Value)
	}
	if cause := context.Cause(streamCtx); cause != nil && s.err != nil && ctx.Err() == nil {
		s.err = cause
	}
	s.keepPartials()
	for _, c := range s.calls {
		if !c.started {
			c.judge(s)
			s.launch(ctx, c)
		}
	}
	s.running.Wait()
	s.settle(ctx)
	s.report()
	return s
}

func (s *step) stream(ctx context.Context) {
	ended := false
	for ev, err := range s.t.provider.Stream(ctx, s.sent) {
		if err != nil {
			s.err = err
			return
		}
		switch ev.Kind {
		case model.TextDelta, model.ReasoningDelta:
			s.delta(ev)
		case model.ItemDone:
			if ev.Item != nil {
				s.item(ctx, ev)
			}
		case model.UsageSeen:
			s.usage = ev.Usage
		case model.Done:
			s.stop, s.detail, ended = ev.Stop, ev.Detail, true
			if ev.Usage != nil {
				s.usage = ev.Usage
			}
		}
	}
	if ended {
		return
	}
	if s.err = ctx.Err(); s.err == nil {
		s.err = &model.Error{
			Kind: model.ErrStreamCut, Provider: s.t.provider.Name(),
			Text: "the answer ended before its end; try again",
		}
	}
}

// retried hears that the provider starts the step anew. What came so far is
// dropped, but once a call has run there is no way back.
func (s *step) retried(n model.RetryNotice, cancel context.CancelCauseFunc) {
	if s.items > 0 {
		cancel(n.Err)
		return
	}
	s.ids, s.parts, s.order = map[string]string{}, map[string]*partial{}, nil
	text := "the model is asked again"
	if n.Err != nil {
		text = n.Err.Error() + "; " + text
	}
	if n.Wait > 0 {
		text += " in " + n.Wait.String()
	}
	s.t.warn("retry", text)
}

// itemID is ours for the provider's id of an item that is still open.
func (s *step) itemID(theirs string) string {
	id, ok := s.ids[theirs]
	if !ok {
		id = s.t.thread.NewItemID()
		s.ids[theirs] = id
	}
	return id
}

func (s *step) delta(ev model.Event) {
	if ev.Text == "" {
		return
	}
	key := ev.ItemID
	if key == "" {
		key = string(ev.Kind)
	}
	id := s.itemID(key)
	p := s.parts[id]
	if p == nil {
		p = &partial{id: id, kind: ev.Kind}
		s.parts[id] = p
		s.order = append(s.order, id)
	}
	p.text.WriteString(ev.Text)
	typ := session.MessageDelta
	if ev.Kind == model.ReasoningDelta {
		typ = session.ReasoningDelta
	}
	s.t.emit(session.Event{Type: typ, ItemID: id, Text: ev.Text})
}

// item appends a complete item and, when it is a call, starts it.
func (s *step) item(ctx context.Context, ev model.Event) {
	it := *ev.Item
	key := it.ID
	if key == "" {
		key = ev.ItemID
	}
	if _, ok := s.ids[key]; key == "" || !ok {
		switch _, open := s.ids[string(deltaOf(it.Kind))]; {
		case open:
			key = string(deltaOf(it.Kind)) // its deltas had no id
		case key == "":
			key = "item"
		}
	}
	it.ID = s.itemID(key)
	delete(s.ids, key)
	delete(s.parts, it.ID)
	s.items++
	th := s.t.thread
	switch it.Kind {
	case model.Message:
		it.Role = model.Assistant
		s.messages++
		if it.Text == "" && it.Raw == nil {
			s.items--
			return
		}
		rec := th.Add(it, "")
		if it.Text == "" {
			th.Write(rec)
			return
		}
		s.t.text = it.Text
		s.t.emit(session.Event{Type: session.MessageCompleted, ItemID: it.ID, Text: it.Text}, rec)
	case model.Reasoning:
		s.t.emit(session.Event{Type: session.ReasoningCompleted, ItemID: it.ID, Text: it.Text}, th.Add(it, ""))
	case model.ToolCall:
		it.CallID = th.NewCallID()
		th.Write(th.Add(it, ""))
		c := s.newCall(it)
		if c.complete() {
			s.launch(ctx, c)
		}
	default:
		th.Write(th.Add(it, "")) // a hosted call's parts, replayed as they are
	}
}

func deltaOf(k model.ItemKind) model.EventKind {
	switch k {
	case model.Message:
		return model.TextDelta
	case model.Reasoning:
		return model.ReasoningDelta
	}
	return model.CallDelta
}

// keepPartials keeps the text of messages whose end never came. A provider that
// ended well and gave a message has only named it otherwise in its deltas.
func (s *step) keepPartials() {
	if s.err == nil && s.messages > 0 {
		return
	}
	for _, id := range s.order {
		p, ok := s.parts[id]
		if !ok || p.kind != model.TextDelta || p.text.Len() == 0 {
			continue
		}
		it := model.Item{Kind: model.Message, ID: id, Role: model.Assistant, Text: p.text.String(), Incomplete: true}
		s.items++
		s.t.text = it.Text
		s.t.emit(session.Event{Type: session.MessageCompleted, ItemID: id, Text: it.Text}, s.t.thread.Add(it, ""))
	}
}

// report tells the usage of the step and adds it to the turn's.
func (s *step) report() {
	if s.usage == nil && s.err != nil {
		return
	}
	u := session.Usage{ContextWindow: s.t.card.ContextWindow, PrefixBroken: s.broken}
	if s.usage != nil {
		u.Input, u.Cached, u.Output = s.usage.Input, s.usage.Cached, s.usage.Output
		u.ContextUsed = u.Input + u.Output
	}
	if u.ContextUsed == 0 {
		u.ContextUsed = prompt.Estimate(s.sent)
	}
	total := &s.t.usage
	total.Input += u.Input
	total.Cached += u.Cached
	total.Output += u.Output
	total.ContextUsed, total.ContextWindow = u.ContextUsed, u.ContextWindow
	s.t.emit(session.Event{Type: session.UsageReported, Usage: &u})
}

// watched is what the guard sees of the calls.
func (s *step) watched() []guard.Call {
	out := make([]guard.Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = guard.Call{
			Name: tools.Spec{Name: c.item.Name, Namespace: c.item.Namespace}.Full(), Arguments: c.item.Arguments, Result: c.result.Text,
			Bad: c.unknown || c.inv.Call.Cut && c.result.Outcome != tools.OK,
		}
	}
	return out
}
