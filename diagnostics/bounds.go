package diagnostics

import (
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
)

// fixed are the bounds that do not adapt.
func (s *Service) fixed(p preset.Preset) Bounds {
	return p.Bounds.Over(s.opt.Bounds).Over(Bounds{Cold: 5 * time.Second, Query: 20 * time.Second, Initialize: 10 * time.Second})
}

// warm adapts soft and hard bounds to what the server was seen to need.
func (s *Service) warm(p preset.Preset, c *lspclient.Client) (soft, hard time.Duration) {
	own, cross := c.Latency()
	slow := max(own, cross)
	b := s.fixed(p).Over(Bounds{
		Soft: clamp(3*slow, 250*time.Millisecond, 3*time.Second),
		Hard: clamp(6*slow, time.Second, 8*time.Second),
	})
	return b.Soft, b.Hard
}

func clamp(d, lo, hi time.Duration) time.Duration { return min(max(d, lo), hi) }
