package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"companion/agent/guard"
	"companion/agent/model"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// maxCalls is how many calls of a step run at the same time.
const maxCalls = 8

// Env is what the calls of a step need of their turn.
type Env struct {
	Turn       context.Context // of the turn: its end stops every call
	Thread     string
	TurnID     string
	Number     int // of the step in its turn, from 1
	Mode       tools.Mode
	Roots      []string
	Box        *tools.Box
	Transcript *transcript.Transcript
	Pipeline   tools.Handler
	Barrier    tools.Barrier // nil = none
	// Record keeps what a call changed; nil = nobody does.
	Record func(thread, turn, call string, changed []tools.Change) error
	// Left owns the goroutines of calls, those that are left behind included.
	Left *conc.WaitGroup
	Log  *slog.Logger
}

// Step is the calls of one step.
type Step struct {
	Env
	// running is a pool and not conc's stream, whose channels are shared by the
	// whole process and so cannot be used under testing/synctest; call order
	// comes from the order of calls.
	running *pool.Pool
	calls   []*call
}

// New begins a step.
func New(e Env) *Step { return &Step{Env: e, running: pool.New().WithMaxGoroutines(maxCalls)} }

// Len is how many calls were added.
func (s *Step) Len() int { return len(s.calls) }

// Add takes a call as the model gave it, and starts it unless its arguments may
// turn out to be cut off.
func (s *Step) Add(it model.Item) {
	c := &call{s: s, item: it, ended: make(chan struct{})}
	full := tools.Spec{Name: it.Name, Namespace: it.Namespace}.Full()
	if tool, ok := s.Box.Find(full); ok {
		c.spec = tool.Spec()
	}
	raw := json.RawMessage(it.Arguments)
	if strings.TrimSpace(it.Arguments) == "" && !it.Incomplete {
		raw = json.RawMessage("{}")
	}
	c.notices.call = c
	c.inv = &tools.Invocation{
		Call: tools.Call{
			Thread: s.Thread, Turn: s.TurnID, Step: s.Number, ID: it.CallID, Mode: s.Mode, Roots: s.Roots,
			Name: it.Name, Namespace: it.Namespace, Raw: raw, Cut: it.Incomplete,
		},
		Box: s.Box, Progress: &c.notices, Notices: &c.notices,
	}
	s.calls = append(s.calls, c)
	if !it.Incomplete && json.Valid(raw) {
		s.launch(c)
	}
}

// Finish starts what could not start before the stream's end was known, and
// waits for all calls. broken is the error of the stream, cut says that the
// output limit ended it.
func (s *Step) Finish(broken error, cut bool) {
	for _, c := range s.calls {
		if c.started {
			continue
		}
		switch {
		case broken != nil:
			c.unrun = "not run: the model's answer broke off in the middle of this call"
		case cut:
			c.inv.Call.Cut = true
		}
		s.launch(c)
	}
	s.running.Wait()
}

// launch runs the call beside others. Read-only calls wait for the writers
// before them, any other call for all calls before it.
func (s *Step) launch(c *call) {
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
	s.running.Go(func() {
		defer close(c.ended)
		for _, o := range before {
			select {
			case <-o.ended:
			case <-s.Turn.Done():
			}
		}
		c.run(s.Turn)
	})
}

// Settle runs the barrier and appends the results, in call order. The error is
// that of a call with which the turn cannot go on.
func (s *Step) Settle(ctx context.Context) (fatal error) {
	if len(s.calls) == 0 {
		return nil
	}
	var finished []tools.Finished
	for _, c := range s.calls {
		if !c.left {
			finished = append(finished, tools.Finished{Inv: c.inv, Result: &c.result})
			c.unknown = c.inv.Tool == nil && c.spec.Name == "" && c.result.Outcome == tools.Failed
		}
		if c.err != nil && fatal == nil {
			fatal = c.err
		}
	}
	if s.Barrier != nil && ctx.Err() == nil && len(finished) > 0 {
		if p := panics.Try(func() { s.Barrier.AfterStep(ctx, finished) }); p != nil {
			s.Log.Error("the feedback of a step panicked", "turn", s.TurnID, "panic", p.AsError())
			s.warn("feedback", fmt.Sprintf("a defect of companion kept the feedback of this step back: %v", p.Value))
		}
	}
	for _, c := range s.calls {
		c.conclude()
	}
	s.Transcript.Sync()
	return fatal
}

// Watched is what the guard sees of the calls.
func (s *Step) Watched() []guard.Call {
	out := make([]guard.Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = guard.Call{
			Name: tools.Spec{Name: c.item.Name, Namespace: c.item.Namespace}.Full(), Arguments: c.item.Arguments, Result: c.result.Text,
			Bad: c.unknown || c.inv.Call.Cut && c.result.Outcome != tools.OK,
		}
	}
	return out
}

func (s *Step) warn(code, text string) {
	s.emit(session.Event{Type: session.Warned, Code: code, Message: text})
}

func (s *Step) emit(e session.Event, recs ...session.Record) {
	e.Turn = s.TurnID
	s.Transcript.Emit(e, recs...)
}
