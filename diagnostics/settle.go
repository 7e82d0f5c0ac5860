package diagnostics

import (
	"context"
	"errors"
	"time"

	"companion/diagnostics/delta"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/supervise"
	"companion/tools"
)

// outcome is what one server said of one file's present text.
type outcome struct {
	in     *supervise.Server
	client *lspclient.Client
	path   string
	status tools.Status
	method lspclient.Method
	items  []tools.Diagnostic
	took   time.Duration
	err    error  // for ServerDown and a server that is not ready
	why    string // it cannot judge the file; "" = it can
}

// own waits until the server has told the diagnostics of path's present text.
// cold bounds the wait while the server has told nothing yet.
func (s *Service) own(ctx context.Context, in *supervise.Server, path string, cold time.Duration) outcome {
	o := outcome{in: in, path: path}
	start := time.Now()
	cctx, cancel := context.WithTimeout(ctx, cold)
	defer cancel()
	c, err := in.Wait(cctx)
	if err != nil {
		o.status, o.err, o.took = tools.ServerDown, err, time.Since(start)
		if errors.Is(err, supervise.ErrStarting) {
			o.status = tools.Pending
		}
		return o
	}
	o.client = c
	s.present(c, path)
	if c.Answered() || c.Spent() {
		_, hard := s.warm(in.Preset(), c)
		cancel()
		cctx, cancel = context.WithTimeout(ctx, hard)
		defer cancel()
	}
	a := c.Await(cctx, path)
	o.status, o.method, o.items, o.why, o.took = a.Status, a.Method, a.Items, a.Reason, time.Since(start)
	if a.Status == tools.ServerDown {
		o.err = in.Reason()
	}
	return o
}

func (o outcome) name() string {
	return delta.Server(o.in.Preset().Name, o.status, o.took, o.err, o.why)
}
