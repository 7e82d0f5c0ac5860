package diagnostics

import (
	"context"
	"errors"
	"time"

	"companion/diagnostics/delta"
	"companion/diagnostics/lspclient"
	"companion/tools"
)

// outcome is what one server said of one file's present text.
type outcome struct {
	in     *instance
	client *lspclient.Client
	path   string
	status tools.Status
	method lspclient.Method
	items  []tools.Diagnostic
	took   time.Duration
	err    error // for ServerDown and a server that is not ready
}

// own waits until the server has told the diagnostics of path's present text.
// cold bounds the wait while the server has told nothing yet.
func (s *Service) own(ctx context.Context, in *instance, path string, cold time.Duration) outcome {
	o := outcome{in: in, path: path}
	start := time.Now()
	cctx, cancel := context.WithTimeout(ctx, cold)
	defer cancel()
	c, err := in.wait(cctx)
	if err != nil {
		o.status, o.err, o.took = tools.ServerDown, err, time.Since(start)
		if errors.Is(err, errStarting) {
			o.status = tools.Pending
		}
		return o
	}
	o.client = c
	s.present(c, path)
	if c.Answered() {
		_, hard := s.warm(in.preset, c)
		cancel()
		cctx, cancel = context.WithTimeout(ctx, hard)
		defer cancel()
	}
	a := c.Await(cctx, path)
	o.status, o.method, o.items, o.took = a.Status, a.Method, a.Items, time.Since(start)
	if a.Status == tools.ServerDown {
		o.err = in.reason()
	}
	return o
}

// reason is why the server is not there, as far as known.
func (in *instance) reason() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

func (o outcome) name() string { return delta.Server(o.in.preset.Name, o.status, o.took, o.err) }
