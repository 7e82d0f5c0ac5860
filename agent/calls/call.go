package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"

	"companion/agent/model"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
	"companion/tools/gate"
	"companion/tools/limit"
)

// call is one call of a step on its way.
type call struct {
	s       *Step
	item    model.Item
	inv     *tools.Invocation
	spec    tools.Spec // as the box has it; zero for an unknown name
	started bool
	begun   time.Time
	place   *gate.Place

	result  tools.Result
	err     error
	left    bool          // did not end in time: inv belongs to what still runs
	took    time.Duration // of what was left, until then
	unknown bool
	unrun   string // why it is not run at all

	notices notices
}

// run brings the call through the pipeline. It returns at most tools.Grace
// after ctx ended, whether the call did or not.
func (c *call) run(ctx context.Context) {
	switch {
	case c.unrun != "":
		c.inv.Refused = &tools.Refusal{Outcome: tools.Aborted, Text: c.unrun}
	case ctx.Err() != nil:
		c.inv.Refused = &tools.Refusal{Outcome: tools.Aborted, Text: c.abortedText("It was not run.")}
	}
	type end struct {
		res tools.Result
		err error
	}
	done := make(chan end, 1)
	c.s.Left.Go(func() {
		var e end
		if p := panics.Try(func() { e.res, e.err = c.s.Pipeline(ctx, c.inv) }); p != nil {
			c.s.Log.Error("a tool call panicked", "tool", c.item.Name, "call", c.item.CallID, "panic", p.AsError())
			e.res = tools.Result{
				Outcome: tools.Failed,
				Text:    fmt.Sprintf("%s failed by a defect of companion (%v); it may have had part of its effect", c.item.Name, p.Value),
			}
			e.err = nil
		}
		c.record(e.res.Changed)
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
			c.left, c.took = true, time.Since(c.begun)
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

// record keeps what the call changed, also when nobody waits for it any more.
func (c *call) record(changed []tools.Change) {
	if c.s.Record == nil || len(changed) == 0 {
		return
	}
	if err := c.s.Record(c.s.Thread, c.s.TurnID, c.item.CallID, changed); err != nil {
		c.s.Log.Error("recording changes", "thread", c.s.Thread, "call", c.item.CallID, "err", err)
		c.notices.heard(session.Event{Type: session.Warned, Code: "changes", Message: fmt.Sprintf("what %s changed could not be recorded and cannot be undone here: %v", c.item.Name, err)})
		return
	}
	e := session.Event{Type: session.ChangesUpdated}
	for _, ch := range changed {
		if ch.From != "" && !slices.Contains(e.Files, ch.From) {
			e.Files = append(e.Files, ch.From)
		}
		if !slices.Contains(e.Files, ch.Path) {
			e.Files = append(e.Files, ch.Path)
		}
	}
	c.notices.heard(e)
}

func (c *call) abortedText(more string) string {
	text := fmt.Sprintf("aborted by user after %.1f s", time.Since(c.begun).Seconds())
	if more = strings.TrimSpace(more); more != "" {
		text += ". " + more
	}
	return text
}

// conclude is the end of a call as the thread hears it: tool.completed and the
// result item, together.
func (c *call) conclude() {
	th := c.s.Transcript
	c.notices.close()
	c.result.Text = limit.Entry(c.result.Text)
	end := session.CallEnd{
		Name: c.item.Name, Outcome: string(c.result.Outcome), Text: c.result.Text, Display: c.result.Display,
		Truncated: c.result.Truncated, FullOutput: c.result.FullOutput,
	}
	if c.result.Real != "" { // the log keeps the truth
		end.Text, end.Shown = limit.Entry(c.result.Real), c.result.Text
	}
	for _, ch := range c.result.Changed {
		end.Changed = append(end.Changed, ch.Path)
	}
	if c.left { // inv is not ours to read; what is known is that it never ended
		end.QueuedMs = c.took.Milliseconds()
	} else {
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
	it.Loads = c.s.definitions(c.result.Loads)
	for _, part := range c.result.Content {
		if part.Kind == tools.ImageContent && len(part.Data) > 0 {
			it.Images = append(it.Images, model.Image{MimeType: part.MimeType, Data: part.Data})
		}
	}
	c.s.emit(session.Event{Type: session.ToolCompleted, ItemID: c.item.ID, CallID: c.item.CallID, End: &end}, th.Add(it, ""))
}
