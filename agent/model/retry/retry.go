package retry

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"companion/agent/model"
)

// Options of the wrapper; zero values are the defaults.
type Options struct {
	Tries int           // 4: the first and three more
	First time.Duration // 500 ms: the first wait, doubled each time (OpenAI's SDK begins with the same)
	Max   time.Duration // 60 s: the longest wait; a server that asks for more is not asked again
}

// New wraps p.
func New(p model.Provider, o Options) model.Provider {
	if o.Tries <= 0 {
		o.Tries = 4
	}
	if o.First <= 0 {
		o.First = 500 * time.Millisecond
	}
	if o.Max <= 0 {
		o.Max = time.Minute
	}
	return &provider{inner: p, o: o}
}

type provider struct {
	inner model.Provider
	o     Options
}

// Name implements model.Provider.
func (p *provider) Name() string { return p.inner.Name() }

// Stream implements model.Provider.
func (p *provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		for try := 1; ; try++ {
			failed := p.once(ctx, req, yield)
			if failed == nil {
				return
			}
			var e *model.Error
			if try == p.o.Tries || req.Options.NeverRetry || !errors.As(failed, &e) || !passing(e.Kind) {
				yield(model.Event{}, failed)
				return
			}
			if e.RetryAfter > p.o.Max {
				yield(model.Event{}, tooLong(*e, time.Now()))
				return
			}
			wait := p.wait(try, e.RetryAfter)
			if req.Options.OnRetry != nil {
				req.Options.OnRetry(model.RetryNotice{Try: try, Wait: wait, Err: failed})
			}
			if err := sleep(ctx, wait); err != nil {
				yield(model.Event{}, err)
				return
			}
		}
	}
}

// once passes one try on and returns its error if nothing was yielded before
// it, nil if the stream is over.
func (p *provider) once(ctx context.Context, req model.Request, yield func(model.Event, error) bool) error {
	began := false
	for ev, err := range p.inner.Stream(ctx, req) {
		if err != nil && !began {
			return err
		}
		began = true
		if !yield(ev, err) || err != nil {
			return nil
		}
	}
	return nil
}

// passing tells whether an error may be gone at the next try.
func passing(kind model.ErrorKind) bool {
	switch kind {
	case model.ErrRate, model.ErrOverload, model.ErrNetwork, model.ErrStreamCut, model.ErrEmpty:
		return true
	}
	return false
}

// wait is what the server asks for, else an exponential wait of which a random
// half is taken off, so that many clients do not come back at once.
func (p *provider) wait(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	d := min(p.o.First<<min(try-1, 16), p.o.Max)
	return d/2 + rand.N(d/2+1)
}

// tooLong says when to ask again instead of waiting that long: earlier tries
// would be refused too. e keeps its kind and its RetryAfter.
func tooLong(e model.Error, now time.Time) error {
	at := now.Add(e.RetryAfter).Round(time.Second)
	form := "15:04"
	if at.YearDay() != now.YearDay() || at.Year() != now.Year() {
		form = "2006-01-02 15:04"
	}
	e.Text += fmt.Sprintf(" (the service wants to be asked again in %s, at %s, not before)", e.RetryAfter.Round(time.Second), at.Format(form))
	return &e
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
