package lspclient

import "time"

// latency is a running estimate of how long a server takes.
type latency struct {
	mean, dev float64 // ns
}

// newLatency starts from a seed; the deviation begins wide.
func newLatency(seed time.Duration) latency {
	if seed == 0 {
		seed = 200 * time.Millisecond
	}
	return latency{float64(seed), float64(seed) / 2}
}

// add weighs one measurement with 1/8, its deviation with 1/4 (as TCP's
// round-trip estimate, RFC 6298).
func (l *latency) add(d time.Duration) {
	diff := float64(d) - l.mean
	l.dev += (max(diff, -diff) - l.dev) / 4
	l.mean += diff / 8
}

func (l latency) p50() time.Duration { return time.Duration(l.mean) }
func (l latency) p95() time.Duration { return time.Duration(l.mean + 2.5*l.dev) }
