package lspclient

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"companion/tools"
)

// Method is how an answer came to be known.
type Method string

// The methods of a settled answer.
const (
	Pull      Method = "pull"
	Sync      Method = "sync"
	Versioned Method = "versioned"
	Barrier   Method = "barrier"
	Quiet     Method = "quiet"   // an unversioned publish, then silence
	Silence   Method = "silence" // nothing was published for the text
)

// Answer is what Await found out.
type Answer struct {
	Status  tools.Status // Complete, Unconfirmed, Pending or ServerDown
	Method  Method
	Items   []tools.Diagnostic // of the present text only
	Version int32
	Took    time.Duration // since the text was sent, at most the wait
	Reason  string        // why a Pending file cannot be judged; "" = it is only not known yet
}

// Await waits until the diagnostics of an open file are known for the text
// that the server was sent last, or ctx ends (Pending). A file that changes
// during the wait is awaited at its new version.
func (c *Client) Await(ctx context.Context, path string) Answer {
	start := time.Now()
	asked := int32(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		c.mu.Lock()
		f := c.files[path]
		if f == nil || !f.open {
			c.mu.Unlock()
			return Answer{Status: tools.Pending}
		}
		a, ok := c.blind(f, start)
		if !ok {
			a, ok = c.settled(f)
		}
		if ok {
			a.Took = time.Since(start)
			c.mu.Unlock()
			return a
		}
		wake, version := c.wake, f.version
		wait := c.nextLook(f)
		if version != asked && c.ready(f) {
			asked = version
			c.ask(ctx, path, version, f.text)
		}
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			c.mu.Lock()
			c.spent = true
			c.mu.Unlock()
			return Answer{Status: tools.Pending, Took: time.Since(start), Version: version}
		case <-c.down:
			return Answer{Status: tools.ServerDown, Took: time.Since(start), Version: version}
		case <-wake:
		case <-time.After(wait):
		}
	}
}

// settled judges what is there for the file's present version; c.mu is held.
func (c *Client) settled(f *file) (Answer, bool) {
	a := Answer{Status: tools.Complete, Version: f.version}
	pulled := f.pull.have && f.pull.version == f.version && f.pull.seq > f.synced
	pushed := f.push.have && f.push.version == f.version && f.push.seq > f.synced
	switch {
	case pulled:
		a.Method = Pull
		if c.cfg.Profile.Tsserver {
			a.Method = Sync
		}
	case pushed && f.push.told && (!c.asks(f) || !c.cfg.Profile.Publishes && time.Since(f.push.at) >= c.quiet()):
		// While an answer is on its way a publish must stay the last one for a
		// moment, and gopls 0.23's does not count: when it was interrupted it
		// publishes an empty list with the new version, then the right one.
		a.Method = Versioned
		if c.cfg.Profile.Barrier {
			a.Method = Barrier
		}
	case c.asks(f):
		return a, false // the answer is on its way
	case pushed && time.Since(f.push.at) >= c.quiet():
		a.Status, a.Method = tools.Unconfirmed, Quiet
		if n := len(f.history); n == 0 || f.history[n-1].Seq < f.push.seq {
			c.confirm(f) // as sure as it gets
		}
	case !pushed && !c.versioned && c.published && time.Since(f.at) >= c.silence():
		a.Status, a.Method = tools.Unconfirmed, Silence
	default:
		return a, false
	}
	a.Items = c.effective(f)
	return a, true
}

// asks says whether the file's diagnostics are requested rather than awaited.
func (c *Client) asks(f *file) bool {
	return f.unasked != f.version && (len(c.pullers) > 0 || c.cfg.Profile.Tsserver)
}

// cannotAsk notes that the server refused to tell the diagnostics of this
// version: what it publishes by itself is all there will be.
func (c *Client) cannotAsk(path string, version int32, err error) {
	c.cfg.Log.Debug("diagnostics were refused", "server", c.cfg.Name, "path", path, "err", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch f := c.files[path]; {
	case f == nil:
	case c.cfg.Profile.Packaged != "" && c.language(path) == c.cfg.Profile.Packaged:
		f.refused = refusal{version, time.Now(), err}
	default:
		f.unasked = version
	}
	c.broadcast()
}

// ready says whether it is known by now how to ask.
func (c *Client) ready(*file) bool {
	p := c.cfg.Profile
	return !p.Registers || len(c.pullers) > 0 || time.Since(c.initialized) >= registration
}

// registration is how long a server that registers its pull provider is given
// for that after initialized (pyright needs 0.4 to 0.7 s).
const registration = time.Second

// youngFor is how long a server may yet publish for the first time.
const youngFor = 3 * time.Second

// quiet is how long an unversioned publish must stay the last one.
func (c *Client) quiet() time.Duration { return max(50*time.Millisecond, c.own.P50()/2) }

// silence is how long an unversioned server may say nothing.
func (c *Client) silence() time.Duration {
	return min(max(3*c.own.P95(), 250*time.Millisecond), 3*time.Second)
}

// nextLook is when time alone may change the judgement.
func (c *Client) nextLook(f *file) time.Duration {
	const idle = time.Minute
	switch {
	case f.refused.of(f):
		return max(words-time.Since(f.refused.at), time.Millisecond)
	case !c.ready(f):
		return max(registration-time.Since(c.initialized), time.Millisecond)
	case f.push.have && f.push.version == f.version && (!f.push.told || c.asks(f)):
		return max(c.quiet()-time.Since(f.push.at), time.Millisecond)
	case !c.versioned && c.published && !c.asks(f):
		return max(c.silence()-time.Since(f.at), time.Millisecond)
	}
	return idle
}

// ask sends whatever makes the server answer for this version; c.mu is held.
func (c *Client) ask(ctx context.Context, path string, version int32, src string) {
	switch {
	case c.cfg.Profile.Tsserver:
		c.wg.Go(func() { c.semantic(ctx, path, version, src) })
	case len(c.pullers) > 0:
		for _, id := range c.pullers {
			c.wg.Go(func() { c.pullOne(ctx, path, version, id) })
			break // one provider per server is all that was seen so far
		}
	case c.cfg.Profile.Barrier:
		c.wg.Go(func() { c.barrier(ctx, path, version, src) })
	}
}

// barrier makes clangd build now: a request on the file waits for its present
// text, and the publish comes before the answer. If it does not (the text is
// as it was), a forced rebuild publishes.
func (c *Client) barrier(ctx context.Context, path string, version int32, src string) {
	p := map[string]any{"textDocument": map[string]any{"uri": c.URI(path)}}
	if c.Request(ctx, protocol.MethodTextDocumentDocumentSymbol, p, nil) != nil {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(20 * time.Millisecond):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil || !f.open || f.version != version || f.push.have && f.push.version == version {
		return
	}
	c.send(path, f, src, true)
	c.broadcast()
}

// URI is the file's URI as the server is told it.
func (c *Client) URI(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uri(path)
}

// AwaitPublish waits, to the end of ctx, for a publish of the file's present text that is
// due beside an answer that was pulled; false when none is due or none comes.
func (c *Client) AwaitPublish(ctx context.Context, path string) bool {
	waited := false
	for {
		c.mu.Lock()
		f := c.files[path]
		there := f != nil && f.push.have && f.push.version == f.version
		due := f != nil && f.open && len(c.pullers) > 0 && (c.versioned || !c.published && time.Since(c.initialized) < youngFor)
		wake := c.wake
		c.mu.Unlock()
		if there || !due {
			return there && waited
		}
		waited = true
		select {
		case <-ctx.Done():
			return false
		case <-c.down:
			return false
		case <-wake:
		}
	}
}
