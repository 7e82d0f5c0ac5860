package answer

import (
	"context"
	"fmt"
	"strings"

	"github.com/sourcegraph/conc/panics"

	"companion/agent/calls"
	"companion/agent/model"
	"companion/agent/transcript"
	"companion/session"
)

// Answer is one answer of a model as far as it came.
type Answer struct {
	thread *transcript.Transcript
	turn   string
	calls  *calls.Step

	ids      map[string]string // provider's id of an open item → ours
	ran      map[string]ran    // by the provider's id of the call
	parts    map[string]*partial
	order    []string            // ids of parts
	messages int                 // of Items
	shows    map[string]*showing // by our id of an item

	Items  int    // that the model gave
	Text   string // the last message
	Usage  *model.Usage
	Stop   model.Stop
	Detail string
	Err    error             // of the provider
	Panic  *panics.Recovered // of the provider; Err is set too
}

// New is the answer that the turn's next request will get. Calls in it are
// added to c.
func New(t *transcript.Transcript, turn string, c *calls.Step) *Answer {
	return &Answer{thread: t, turn: turn, calls: c, ids: map[string]string{}, ran: map[string]ran{}, parts: map[string]*partial{}, shows: map[string]*showing{}}
}

// Cost is what the answer cost, as far as the provider told.
func (a *Answer) Cost() (u session.Usage) {
	if a.Usage != nil {
		u.Input, u.Cached, u.Written, u.Output = a.Usage.Input, a.Usage.Cached, a.Usage.Written, a.Usage.Output
		u.ContextUsed = u.Input + u.Output
	}
	return u
}

func (a *Answer) emit(e session.Event, recs ...session.Record) {
	e.Turn = a.turn
	a.thread.Emit(e, recs...)
}

// partial is the text of an item that is still coming.
type partial struct {
	id   string
	kind model.EventKind
	text strings.Builder
}

// Read reads the stream to its end. What came is in the transcript then, or is
// running.
func (a *Answer) Read(ctx context.Context, p model.Provider, req model.Request) {
	if r := panics.Try(func() { a.stream(ctx, p, req) }); r != nil {
		a.Panic = r
		a.Err = fmt.Errorf("a defect of companion in the provider of %s: %v", req.Model, r.Value)
	}
}

func (a *Answer) stream(ctx context.Context, p model.Provider, req model.Request) {
	ended := false
	for ev, err := range p.Stream(ctx, req) {
		if err != nil {
			a.Err = err
			return
		}
		switch ev.Kind {
		case model.TextDelta, model.ReasoningDelta:
			a.delta(ev)
		case model.CallDelta:
			a.show(ev)
		case model.ItemDone:
			if ev.Item != nil {
				a.item(ev)
			}
		case model.UsageSeen:
			a.Usage = ev.Usage
		case model.Done:
			a.Stop, a.Detail, ended = ev.Stop, ev.Detail, true
			if ev.Usage != nil {
				a.Usage = ev.Usage
			}
		}
	}
	if ended {
		return
	}
	if a.Err = ctx.Err(); a.Err == nil {
		a.Err = &model.Error{
			Kind: model.ErrStreamCut, Provider: p.Name(),
			Text: "the answer ended before its end; try again",
		}
	}
}

// Retried hears that the provider starts the step anew. What came so far is
// dropped, but once a call has run there is no way back: cancel
// ends the stream.
func (a *Answer) Retried(n model.RetryNotice, cancel context.CancelCauseFunc) {
	if a.Items > 0 {
		cancel(n.Err)
		return
	}
	a.ids, a.parts, a.order, a.shows = map[string]string{}, map[string]*partial{}, nil, map[string]*showing{}
	text := "the model is asked again"
	if n.Err != nil {
		text = n.Err.Error() + "; " + text
	}
	if n.Wait > 0 {
		text += " in " + n.Wait.String()
	}
	a.emit(session.Event{Type: session.Warned, Code: "retry", Message: text})
}

// itemID is ours for the provider's id of an item that is still open.
func (a *Answer) itemID(theirs string) string {
	id, ok := a.ids[theirs]
	if !ok {
		id = a.thread.NewItemID()
		a.ids[theirs] = id
	}
	return id
}

func (a *Answer) delta(ev model.Event) {
	if ev.Text == "" {
		return
	}
	key := ev.ItemID
	if key == "" {
		key = string(ev.Kind)
	}
	id := a.itemID(key)
	p := a.parts[id]
	if p == nil {
		p = &partial{id: id, kind: ev.Kind}
		a.parts[id] = p
		a.order = append(a.order, id)
	}
	p.text.WriteString(ev.Text)
	typ := session.MessageDelta
	if ev.Kind == model.ReasoningDelta {
		typ = session.ReasoningDelta
	}
	a.emit(session.Event{Type: typ, ItemID: id, Text: ev.Text})
}

// item appends a complete item and, when it is a call, starts it.
func (a *Answer) item(ev model.Event) {
	it := *ev.Item
	key := it.ID
	if key == "" {
		key = ev.ItemID
	}
	if _, ok := a.ids[key]; key == "" || !ok {
		switch _, open := a.ids[string(deltaOf(it.Kind))]; {
		case open:
			key = string(deltaOf(it.Kind)) // its deltas had no id
		case key == "":
			key = "item"
		}
	}
	it.ID = a.itemID(key)
	delete(a.ids, key)
	delete(a.parts, it.ID)
	a.Items++
	th := a.thread
	if it.Hosted {
		a.hosted(it)
		return
	}
	switch it.Kind {
	case model.Message:
		it.Role = model.Assistant
		a.messages++
		if it.Text == "" && it.Raw == nil {
			a.Items--
			return
		}
		rec := th.Add(it, "")
		if it.Text == "" {
			th.Write(rec)
			return
		}
		a.Text = it.Text
		a.emit(session.Event{Type: session.MessageCompleted, ItemID: it.ID, Text: it.Text}, rec)
	case model.Reasoning:
		a.emit(session.Event{Type: session.ReasoningCompleted, ItemID: it.ID, Text: it.Text}, th.Add(it, ""))
	case model.ToolCall:
		it.CallID = a.callID(it.ID)
		th.Write(th.Add(it, ""))
		a.calls.Add(it)
	default:
		th.Write(th.Add(it, "")) // of a later version
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

// KeepPartials keeps the text of messages whose end never came. A provider that
// ended well and gave a message has only named it otherwise in its deltas.
func (a *Answer) KeepPartials() {
	if a.Err == nil && a.messages > 0 {
		return
	}
	for _, id := range a.order {
		p, ok := a.parts[id]
		if !ok || p.kind != model.TextDelta || p.text.Len() == 0 {
			continue
		}
		it := model.Item{Kind: model.Message, ID: id, Role: model.Assistant, Text: p.text.String(), Incomplete: true}
		a.Items++
		a.Text = it.Text
		a.emit(session.Event{Type: session.MessageCompleted, ItemID: id, Text: it.Text}, a.thread.Add(it, ""))
	}
}
