package parent

import (
	"context"
	"time"
)

// every is how often the process is looked at. Its death must end the server
// within 1 s (docs/protocol.md, Lifecycle), and most of that is for ending.
const every = 150 * time.Millisecond

// Alive reports whether pid is a process that runs.
func Alive(pid int) bool { return pid > 0 && alive(pid) }

// Wait returns when the process has died (true) or ctx ends.
func Wait(ctx context.Context, pid int) bool {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if !alive(pid) {
				return true
			}
		}
	}
}
