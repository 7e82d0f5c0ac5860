// Package bounded runs code of others on bytes of others: a panic becomes an
// error, and what never ends is left behind.
//
// Never: run what has effects; what is left behind still runs.
package bounded

import (
	"context"
	"fmt"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// Run gives what f gives, an error that names the value of its panic, or ctx's
// error as soon as ctx ends; f then goes on without a listener.
func Run[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type end struct {
		v   T
		err error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	done := make(chan end, 1)
	var worker conc.WaitGroup // not waited for: f cannot be cancelled
	worker.Go(func() {
		var e end
		if p := panics.Try(func() { e.v, e.err = f() }); p != nil {
			e = end{err: fmt.Errorf("panic: %v", p.Value)}
		}
		done <- e
	})
	select {
	case e := <-done:
		return e.v, e.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
