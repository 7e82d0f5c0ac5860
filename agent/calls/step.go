package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"companion/agent/guard"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
	"companion/tools/gate"
)

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
	// running is not bounded: of the calls that have begun, the gate lets as many
	// run as may. A bound here would let calls that wait keep out the one that
	// they wait for.
	running conc.WaitGroup
	line    *gate.Line
	calls   []*call
}

// New begins a step.
func New(e Env) *Step { return &Step{Env: e, line: gate.NewLine()} }

// Len is how many calls were added.
func (s *Step) Len() int { return len(s.calls) }

// Add takes a call as the model gave it, and starts it unless its arguments may
// turn out to be cut off.
func (s *Step) Add(it model.Item) {
	c := &call{s: s, item: it}
	full := tools.Spec{Name: it.Name, Namespace: it.Namespace}.Full()
	if tool, ok := s.Box.Find(full); ok {
		c.spec = tool.Spec()
	}
	c.place = s.line.Join(c.spec.ReadOnly)
	raw := json.RawMessage(it.Arguments)
	if strings.TrimSpace(it.Arguments) == "" && !it.Incomplete && c.spec.Form != tools.Freeform {
		raw = json.RawMessage("{}")
	}
	c.notices.call = c
	c.inv = &tools.Invocation{
		Call: tools.Call{
			Thread: s.Thread, Turn: s.TurnID, Step: s.Number, ID: it.CallID, Mode: s.Mode, Roots: s.Roots,
			Name: it.Name, Namespace: it.Namespace, Raw: raw, Cut: it.Incomplete, Tainted: s.Transcript.State.Tainted,
		},
		Box: s.Box, Progress: &c.notices, Notices: &c.notices, Order: c.place,
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
			c.unrun = "Not run: the model's answer broke off in the middle of this call."
		case cut:
			c.inv.Call.Cut = true
		}
		s.launch(c)
	}
	s.running.Wait()
}

// launch runs the call beside others; the gate keeps those apart that conflict.
func (s *Step) launch(c *call) {
	c.started, c.begun = true, time.Now()
	s.running.Go(func() {
		defer c.place.Leave()
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
	tainted := false
	for _, c := range s.calls {
		tainted = tainted || c.result.Tainted
		c.conclude()
	}
	if tainted && !s.Transcript.State.Tainted {
		s.Transcript.State.Tainted = true // from the next step on, whose model has read it
		s.Transcript.WriteState()
	}
	s.Transcript.Sync()
	return fatal
}

// Loaded are the full names of deferred tools that results of the step made
// callable, in call order, each once.
func (s *Step) Loaded() []string {
	var out []string
	for _, c := range s.calls {
		for _, full := range c.result.Loads {
			if _, ok := s.Box.Find(full); ok && !slices.Contains(out, full) {
				out = append(out, full)
			}
		}
	}
	return out
}

// definitions are what a model is told of tools that it may call from now on.
func (s *Step) definitions(loads []string) []model.Tool {
	var out []model.Tool
	for _, full := range loads {
		if spec, ok := s.Box.Spec(full); ok {
			out = append(out, prompt.Describe(spec))
		}
	}
	return out
}

// Watched is what the guard sees of the calls.
func (s *Step) Watched() []guard.Call {
	out := make([]guard.Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = guard.Call{
			Name: tools.Spec{Name: c.item.Name, Namespace: c.item.Namespace}.Full(), Arguments: c.item.Arguments, Result: c.result.Text,
			Poll: c.spec.Polls,
			Bad:  c.unknown || c.inv.Call.Cut && c.result.Outcome != tools.OK,
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
