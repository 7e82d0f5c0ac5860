package tools

import (
	"context"
	"errors"
	"time"

	"companion/tools/arguments"
)

// Invocation is one call on its way through the stages. Stages fill it in.
type Invocation struct {
	Call     Call
	Box      *Box
	Tool     Tool
	Spec     Spec
	Action   Action
	Progress Progress
	Notices  Notices
	Queued   time.Duration // all time before a run: readiness, approval and gate
	Ran      time.Duration
	Settled  time.Duration

	// Order is where the call stands among those of its step; nil = alone.
	Order Order
	// Refused ends the call before any stage looks at it, with these words.
	Refused *Refusal

	// Verdict is what the policy said of Action; the zero value asks.
	Verdict Verdict
	// Prepared is when Action was last prepared, with the monotonic clock.
	Prepared time.Time

	begun   time.Time
	ended   time.Time       // of the last run
	output  *tail           // of the last run
	notes   []string        // sentences for the model, in front of the result
	form    *arguments.Form // of the arguments, once they are checked
	started bool
	checks  []Check
}

// Order is a call's place among the calls of its step, in call order.
type Order interface {
	// Settled waits until no call before it can change anything any more, and
	// tells whether there was one.
	Settled(ctx context.Context) (waited bool, err error)
}

// Verdict of the policy on a prepared call. A denial is no Verdict: it is a
// *Refusal with outcome denied.
type Verdict struct {
	Allow bool   // nobody needs to be asked
	Why   string // what has to be asked and why; "" when allowed
	// Asks are the keys of what needs a yes, one for each effect that no rule
	// allows: a person's yes for the thread covers exactly these.
	Asks []string
	// Once: a yes holds for this call alone, and none given before covers it.
	Once bool
}

// Check judges an invocation; an error is a *Refusal or ends the turn.
type Check func(ctx context.Context, inv *Invocation) error

// OnReprepare registers a check that runs again each time Action is prepared
// again: authorisations are bound to what was prepared. Checks run in the order
// in which they were registered.
func (inv *Invocation) OnReprepare(c Check) { inv.checks = append(inv.checks, c) }

// Reprepare asks the tool anew what the call would do. Recheck follows, unless
// it does and shows the same as before.
func (inv *Invocation) Reprepare(ctx context.Context) error { return inv.prepare(ctx) }

// Recheck runs the checks of OnReprepare on what Action now is. The caller
// holds no lock: a check may wait for a person.
func (inv *Invocation) Recheck(ctx context.Context) error {
	for _, check := range inv.checks {
		if err := check(ctx, inv); err != nil {
			return err
		}
	}
	return nil
}

// Everything is the resource that conflicts with every other.
const Everything = "*"

// Tell adds a sentence that the model reads in front of the result.
func (inv *Invocation) Tell(sentence string) { inv.notes = append(inv.notes, sentence) }

// HasRun tells whether the tool has run, or begun to.
func (inv *Invocation) HasRun() bool { return inv.output != nil }

// Start gives the Started notice once; further calls do nothing.
func (inv *Invocation) Start() {
	if inv.started {
		return
	}
	inv.started = true
	if inv.Notices != nil {
		inv.Notices.Started(inv)
	}
}

// Decided gives the Approval notice: decision is an option kind of package
// permission, by is user, rule, hook or grant.
func (inv *Invocation) Decided(decision, by string) {
	if inv.Notices != nil {
		inv.Notices.Approval(inv, decision, by)
	}
}

// ErrStopped is returned beside a result when a person chose to stop the turn
// instead of answering; the result is kept for the history.
var ErrStopped = errors.New("stopped by the user")

// Notices hears the life of a call; each method is called at most once per
// call, Started always before anything is asked of a person.
type Notices interface {
	Started(inv *Invocation)
	Approval(inv *Invocation, decision, by string)
}

// Asked may be implemented by a Notices too: it hears that a person is about to
// be asked. Approval follows once an answer is there.
type Asked interface {
	Asked(inv *Invocation)
}

// Handler runs an invocation to its result. An error ends the turn.
type Handler func(ctx context.Context, inv *Invocation) (Result, error)

// Stage wraps a Handler, like net/http middleware.
type Stage func(next Handler) Handler

// Chain composes stages, the first outermost, around the innermost handler.
func Chain(inner Handler, stages ...Stage) Handler {
	for i := len(stages) - 1; i >= 0; i-- {
		inner = stages[i](inner)
	}
	return inner
}

// Finished is one call of a step after it ran, as the barrier sees it.
type Finished struct {
	Inv    *Invocation
	Result *Result
}

// Barrier is called once after all calls of a step have run, in call order; it
// may add to their results (diagnostics feedback). It honours ctx.
type Barrier interface {
	AfterStep(ctx context.Context, calls []Finished)
	// AfterTurn waits to its hard bound for what is still pending; a non-empty
	// text is new errors that the model has to hear before the turn may end.
	AfterTurn(ctx context.Context, thread string) string
}
