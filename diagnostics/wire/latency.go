package wire

import "time"

// Latency is a running estimate of how long a server takes.
type Latency struct {
	mean, dev float64 // ns
}

// NewLatency starts from a seed (0 = 200 ms); the deviation begins wide.
func NewLatency(seed time.Duration) Latency {
	if seed == 0 {
		seed = 200 * time.Millisecond
	}
	return Latency{float64(seed), float64(seed) / 2}
}

// Add weighs one measurement with 1/8, its deviation with 1/4 (as TCP's
// round-trip estimate, RFC 6298).
func (l *Latency) Add(d time.Duration) {
	diff := float64(d) - l.mean
	l.dev += (max(diff, -diff) - l.dev) / 4
	l.mean += diff / 8
}

// P50 is the expected time.
func (l Latency) P50() time.Duration { return time.Duration(l.mean) }

// P95 is the mean and 2.5 deviations.
func (l Latency) P95() time.Duration { return time.Duration(l.mean + 2.5*l.dev) }
