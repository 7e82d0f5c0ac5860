package lspclient

import (
	"cmp"
	"time"

	"companion/diagnostics/wire"
	"companion/tools"
)

// refusal is the server's saying that a file is in no package that it could
// load, so that it does not know the file's problems.
type refusal struct {
	version int32
	at      time.Time
	err     error
}

func (r refusal) of(f *file) bool { return r.err != nil && r.version == f.version }

// words is how long a refusal waits for the publish that says why (gopls 0.23
// publishes "initialization failed: …" some 10 ms later).
const words = time.Second

// blind answers for a file that was refused since the asker came: each asks
// anew, since what is wrong may be mended outside the file. c.mu is held.
func (c *Client) blind(f *file, since time.Time) (Answer, bool) {
	r := f.refused
	if !r.of(f) || r.at.Before(since) {
		return Answer{}, false
	}
	a := Answer{Status: tools.Pending, Version: f.version, Items: c.effective(f)}
	if len(a.Items) == 0 && time.Since(r.at) < words {
		return a, false
	}
	a.Reason = wire.Visible(r.err.Error())
	for _, d := range a.Items {
		a.Reason = cmp.Or(d.Message, a.Reason)
		if d.Source == "go list" {
			break
		}
	}
	return a, true
}
