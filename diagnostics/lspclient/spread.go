package lspclient

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"
	"go.lsp.dev/protocol"

	"companion/tools"
)

// candidates bounds how many other files are asked about after an edit.
const candidates = 32

// Reach is how far an edit's effect on other files was followed.
type Reach struct {
	Checked, Candidates int
	Complete            bool
}

// Spread waits until the files that the edits of edited may concern are known
// again: those open at the server or known to import an edited one are asked
// about, where the server can be asked, and publishes are awaited until none
// comes for a while. When ctx ends first the reach is not complete.
func (c *Client) Spread(ctx context.Context, edited []string) Reach {
	paths := c.concerned(ctx, edited)
	r := Reach{Candidates: len(paths)}
	p := pool.NewWithResults[bool]().WithMaxGoroutines(4)
	asked := c.canAsk()
	for _, path := range paths {
		p.Go(func() bool { return c.recheck(ctx, path) })
	}
	for _, ok := range p.Wait() {
		if ok {
			r.Checked++
		}
	}
	r.Complete = r.Checked == r.Candidates || !asked
	if c.pushes() && !(c.cfg.Profile.Barrier && len(paths) == 0) { // clangd tells of open files only
		r.Complete = c.pushed(ctx, edited) && c.calm(ctx) && r.Complete
	}
	if !asked && r.Complete {
		r.Checked = r.Candidates
	}
	return r
}

// concerned are the candidates: files that the server holds or told of, and
// importers of the edited ones.
func (c *Client) concerned(ctx context.Context, edited []string) []string {
	out := slices.DeleteFunc(c.Files(), func(p string) bool { return slices.Contains(edited, p) })
	if c.cfg.Profile.Tsserver {
		for _, path := range edited {
			for _, user := range c.importers(ctx, path) {
				if !slices.Contains(edited, user) && !slices.Contains(out, user) && !strings.Contains(user, "node_modules") {
					out = append(out, user)
				}
			}
		}
	}
	return out[:min(len(out), candidates)]
}

// canAsk says whether other files are asked about rather than awaited.
func (c *Client) canAsk() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pullers) > 0 || c.cfg.Profile.Tsserver || c.cfg.Profile.Barrier
}

// pushes says whether the server publishes without being asked.
func (c *Client) pushes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.versioned || len(c.pullers) == 0 && !c.cfg.Profile.Tsserver
}

// recheck asks again about a file whose text did not change.
func (c *Client) recheck(ctx context.Context, path string) bool {
	c.mu.Lock()
	f := c.file(path)
	open, version := f.open, f.version
	asks := len(c.pullers) > 0
	if asks || c.cfg.Profile.Tsserver {
		f.pull.seq = 0
	}
	c.mu.Unlock()
	switch {
	case open && (asks || c.cfg.Profile.Tsserver):
		return c.Await(ctx, path).Status == tools.Complete
	case c.cfg.Profile.Tsserver: // knows every file of the project
		c.semantic(ctx, path, version, "")
		_, fresh := c.Present(path)
		return fresh
	case open && c.cfg.Profile.Barrier:
		p := map[string]any{"textDocument": map[string]any{"uri": c.URI(path)}}
		return c.Request(ctx, protocol.MethodTextDocumentDocumentSymbol, p, nil) == nil
	}
	return !open // an unopened file is told of by publishes only
}

// pushed waits until each edited file that is open was published for its
// present version, where the server names versions: the others come with it.
func (c *Client) pushed(ctx context.Context, edited []string) bool {
	for {
		c.mu.Lock()
		ok := true
		for _, path := range edited {
			f := c.files[path]
			ok = ok && (f == nil || !f.open || !c.versioned || f.push.have && f.push.version == f.version)
		}
		wake := c.wake
		c.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-c.down:
			return false
		case <-wake:
		}
	}
}

// calm waits until nothing was published for a burst, counted from the last
// edit or publish.
func (c *Client) calm(ctx context.Context) bool {
	for {
		c.mu.Lock()
		left := c.cfg.Profile.Burst - min(time.Since(c.lastPush), time.Since(c.lastSync))
		c.mu.Unlock()
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
