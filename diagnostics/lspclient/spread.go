package lspclient

import (
	"context"
	"slices"
	"time"

	"github.com/sourcegraph/conc/pool"

	"companion/tools"
)

// candidates bounds how many other files are asked about after an edit.
const candidates = 32

// burst is the silence that ends a server's burst of publishes. gopls without
// its delay publishes 18 files within 14 ms; clangd rebuilds includers within
// 100 ms of a save.
const burst = 50 * time.Millisecond

// Reach is how far an edit's effect on other files was followed.
type Reach struct {
	Checked, Candidates int
	Complete            bool
}

// Spread waits until the files that are not in skip, and that the last edit
// may concern, are known again: those open at the server are asked about where
// the server can be asked, and publishes are awaited until none comes for a
// while. When ctx ends first the reach is not complete.
func (c *Client) Spread(ctx context.Context, skip []string) Reach {
	paths := c.others(skip)
	r := Reach{Candidates: len(paths)}
	c.mu.Lock()
	asks := len(c.pullers) > 0 || c.cfg.Profile.Tsserver
	pushes := !asks || c.published
	if asks {
		for _, path := range paths {
			if f := c.files[path]; f.open {
				f.pull.seq = 0
			}
		}
	}
	c.mu.Unlock()
	if asks {
		p := pool.NewWithResults[bool]().WithMaxGoroutines(4)
		for _, path := range paths {
			if c.IsOpen(path) {
				p.Go(func() bool { return c.Await(ctx, path).Status == tools.Complete })
			}
		}
		for _, ok := range p.Wait() {
			if ok {
				r.Checked++
			}
		}
	}
	r.Complete = true
	if pushes {
		r.Complete = c.calm(ctx)
	}
	if !asks && r.Complete {
		r.Checked = r.Candidates
	}
	r.Complete = r.Complete && ctx.Err() == nil
	return r
}

func (c *Client) others(skip []string) []string {
	var out []string
	for _, path := range c.Files() {
		if !slices.Contains(skip, path) && len(out) < candidates {
			out = append(out, path)
		}
	}
	return out
}

// calm waits until nothing was published for a burst, counted from the last
// edit or publish.
func (c *Client) calm(ctx context.Context) bool {
	for {
		c.mu.Lock()
		last := c.lastPush
		if c.lastSync.After(last) {
			last = c.lastSync
		}
		c.mu.Unlock()
		left := burst - time.Since(last)
		if left <= 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-c.down:
			return false
		case <-time.After(left):
		}
	}
}
