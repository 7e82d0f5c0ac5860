package hooks

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"companion/tools"
)

// Set is the hooks of a process; its methods are stages.
type Set struct {
	log  *slog.Logger
	list atomic.Pointer[[]Hook]
}

// New gives a set of hooks that act in this order. log may be nil.
func New(log *slog.Logger, list ...Hook) *Set {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Set{log: log}
	s.Replace(list...)
	return s
}

// Replace puts others in their place, for stages that calls have not reached.
func (s *Set) Replace(list ...Hook) { s.list.Store(&list) }

// each calls do for the hooks of a kind that are for inv as it is when their
// turn comes.
func (s *Set) each(inv *tools.Invocation, has func(Hook) bool, do func(h Hook, c Call) error) error {
	for _, h := range *s.list.Load() {
		if !has(h) {
			continue
		}
		c := callOf(inv)
		if !h.When.fits(inv.Spec, c.Tool, c.Args) {
			continue
		}
		if err := do(h, c); err != nil {
			return err
		}
	}
	return nil
}

// failure is what became of a hook that gave no answer.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// answer runs one hook. It returns at its deadline or when ctx ends, whether
// the hook did or not; a panic and an error of it are a *failure.
func answer[T any](ctx context.Context, s *Set, h Hook, usual time.Duration, do func(ctx context.Context) (T, error)) (T, error) {
	limit := h.Deadline
	if limit <= 0 {
		limit = usual
	}
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type end struct {
		value T
		err   error
	}
	done := make(chan end, 1)
	var worker conc.WaitGroup // not waited for: a hook that hangs must not hold the call
	worker.Go(func() {
		var e end
		if p := panics.Try(func() { e.value, e.err = do(bound) }); p != nil {
			e.err = fmt.Errorf("it panicked: %v", p.Value)
		}
		done <- e
	})
	var e end
	select {
	case e = <-done:
	case <-bound.Done():
		e.err = fmt.Errorf("it gave no answer within %v", limit)
	}
	if ctx.Err() != nil {
		var none T
		return none, ctx.Err()
	}
	if e.err != nil {
		s.log.Error("a hook failed", "hook", h.Name, "err", e.err)
		return e.value, &failure{e.err.Error()}
	}
	return e.value, nil
}
