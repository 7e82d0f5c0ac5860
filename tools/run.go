package tools

import (
	"context"
	"errors"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// Grace is how long a running call may go on after a stop: to clean up, or to
// finish where Spec.Finish says so (tools.md, Gate and cancellation: 2 s).
const Grace = 2 * time.Second

// finishTime is how much of Grace a call that is to finish has before it is
// cancelled too, so that what it waits for is withdrawn before it is left.
const finishTime = Grace * 3 / 4

// ErrTransient marks a failure that may be none a moment later: a connection
// that broke, a server that restarts. A call that has no effects is tried again
// once (attempt.Retry).
var ErrTransient = errors.New("a passing failure")

// Run is the innermost handler. It runs the prepared action, catches its panic,
// and returns at most Grace after ctx ended, whether the tool did or not.
func Run(ctx context.Context, inv *Invocation) (Result, error) {
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	defer func() {
		inv.ended = time.Now()
		inv.Ran += inv.ended.Sub(start)
	}()
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	inv.output = &tail{to: inv.Progress}
	out := inv.output

	type end struct {
		res Result
		err error
		pan *panics.Recovered
	}
	done := make(chan end, 1)
	var worker conc.WaitGroup // not waited for: a tool that ignores its context must not hold the turn
	worker.Go(func() {
		var e end
		e.pan = panics.Try(func() { e.res, e.err = inv.Action.Run(runCtx, out) })
		done <- e
	})
	finish := func(e end) (Result, error) {
		if e.pan != nil {
			panic(e.pan) // Answer words it
		}
		return e.res, e.err
	}
	select {
	case e := <-done:
		return finish(e)
	case <-ctx.Done():
	}
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	if inv.Spec.Finish {
		late := time.AfterFunc(finishTime, cancel)
		defer late.Stop()
	} else {
		cancel()
	}
	select {
	case e := <-done:
		return finish(e)
	case <-grace.C:
		return Result{}, ctx.Err()
	}
}
