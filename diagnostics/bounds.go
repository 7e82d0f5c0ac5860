package diagnostics

import (
	"time"

	"companion/diagnostics/lspclient"
)

// over fills what is 0 in b from the next.
func (b Bounds) over(next Bounds) Bounds {
	pick := func(a, b time.Duration) time.Duration {
		if a != 0 {
			return a
		}
		return b
	}
	return Bounds{
		Soft: pick(b.Soft, next.Soft), Hard: pick(b.Hard, next.Hard), Cold: pick(b.Cold, next.Cold),
		Query: pick(b.Query, next.Query), Initialize: pick(b.Initialize, next.Initialize),
	}
}

// fixed are the bounds that do not adapt.
func (s *Service) fixed(p Preset) Bounds {
	return p.Bounds.over(s.opt.Bounds).over(Bounds{Cold: 5 * time.Second, Query: 20 * time.Second, Initialize: 10 * time.Second})
}

// warm adapts soft and hard bounds to what the server was seen to need.
func (s *Service) warm(p Preset, c *lspclient.Client) (soft, hard time.Duration) {
	own, cross := c.Latency()
	slow := max(own, cross)
	b := s.fixed(p).over(Bounds{
		Soft: clamp(3*slow, 250*time.Millisecond, 3*time.Second),
		Hard: clamp(6*slow, time.Second, 8*time.Second),
	})
	return b.Soft, b.Hard
}

func clamp(d, lo, hi time.Duration) time.Duration { return min(max(d, lo), hi) }
