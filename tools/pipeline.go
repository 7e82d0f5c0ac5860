package tools

import (
	"context"
	"time"
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
	Queued   time.Duration // readiness, approval and gate
	Ran      time.Duration
	Settled  time.Duration
}

// Notices hears the life of a call; each method is called at most once per
// call, Started always before anything is asked of a person.
type Notices interface {
	Started(inv *Invocation)
	Approval(inv *Invocation, decision, by string)
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
