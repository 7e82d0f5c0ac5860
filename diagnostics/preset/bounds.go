package preset

import "time"

// Bounds are how long is waited for diagnostics; 0 is the default. They and
// their defaults are argued for in docs/decisions.
type Bounds struct {
	Soft       time.Duration // other files after an edit; 0 = 3 × the server's 95 % latency, within 250 ms and 3 s
	Hard       time.Duration // the edited file; 0 = 6 × that, within 1 s and 8 s
	Cold       time.Duration // after an edit, while the server has told nothing yet; 0 = 5 s
	Query      time.Duration // for a question, and at a turn's end, while it has told nothing yet; 0 = 20 s
	Initialize time.Duration // for the answer to initialize; 0 = 10 s
}

// Over fills what is 0 in b from the next.
func (b Bounds) Over(next Bounds) Bounds {
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
