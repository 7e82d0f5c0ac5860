package lspclient

import (
	"slices"
	"sort"
	"time"

	"companion/diagnostics/wire"
	"companion/tools"
)

// Present gives the file's diagnostics for its present text; fresh says that
// the server has answered for it.
func (c *Client) Present(path string) (items []tools.Diagnostic, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil {
		return nil, false
	}
	fresh = f.pull.have && f.pull.version == f.version && f.pull.seq > f.synced ||
		f.push.have && f.push.version == f.version && f.push.seq > f.synced && !f.refused.of(f)
	return c.effective(f), fresh
}

// Files are the paths of files that are open at the server or have diagnostics,
// sorted.
func (c *Client) Files() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for path, f := range c.files {
		if f.open || len(c.effective(f)) > 0 || len(f.history) > 0 {
			out = append(out, path)
		}
	}
	sort.Strings(out)
	return out
}

// History gives the texts that the server was sent and the lists that were
// confirmed, oldest first.
func (c *Client) History(path string) ([]Edit, []Confirmed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil {
		return nil, nil
	}
	return slices.Clone(f.edits), slices.Clone(f.history)
}

// Now is the sequence number of the latest event.
func (c *Client) Now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seq
}

// Latency is what the server is expected to need at most: for an edited file
// and, from the edit on, for the other files.
func (c *Client) Latency() (own, cross time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.own.P95(), c.cross.P95()
}

// Answered says whether the server has told diagnostics of any file yet.
func (c *Client) Answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	answered := c.published
	for _, f := range c.files {
		answered = answered || f.pull.have
	}
	return answered
}

// Times says, of the text that the server was sent last, when it was sent, when
// its diagnostics were first known (answered or published), and when they were
// published; zero = not yet.
func (c *Client) Times(path string) (sent, known, published time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil {
		return sent, known, published
	}
	if f.push.have && f.push.version == f.version {
		published = f.push.at
	}
	return f.at, f.knownAt, published
}

// Spent says whether somebody waited for diagnostics in vain: the patience for
// a server that is only just starting is used up.
func (c *Client) Spent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

// Document is the text and version that the server was sent last; ok is false
// when the file is not open there.
func (c *Client) Document(path string) (src string, version int32, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil {
		return "", 0, false
	}
	return f.text, f.version, f.open
}

// Capabilities are what the server said of itself at initialize.
func (c *Client) Capabilities() wire.Capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.caps
}

// Name is the server's name, as in Diagnostic.Server.
func (c *Client) Name() string { return c.cfg.Name }
