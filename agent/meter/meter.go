package meter

import (
	"companion/agent/model"
	"companion/agent/prompt"
)

// growth is how much of the window, as a divisor, a thread has to grow after it
// was shortened until it is shortened again.
const growth = 10

// Meter of one thread. The zero value knows nothing. What vendors count is the
// truth; for what came since, bytes are counted.
type Meter struct {
	used  int // tokens as the vendor counted, 0 = not known
	items int // that many of the thread's items

	shortened bool // and not counted since
	floor     int  // the size after it was shortened; 0 = it was not
}

// Reported takes what the vendor counted, in tokens, for the first n items of
// the thread; 0 = it did not count.
func (m *Meter) Reported(used, n int) {
	m.used, m.items = used, n
	if used > 0 && m.shortened {
		m.shortened, m.floor = false, used
	}
}

// Size of a thread in tokens; whole estimates all of its next request, and is
// asked where the vendor has counted nothing of it.
func (m *Meter) Size(items []model.Item, whole func() int) int {
	if m.used == 0 || m.items > len(items) {
		return whole()
	}
	return m.used + prompt.Estimate(model.Request{Items: items[m.items:]})
}

// Full tells whether a thread of size tokens should be shortened: it takes at
// percent of the window or more, and has grown since the last time. Where the
// vendor counts as much right after it was shortened, it is not again: that would
// cost a request at each step and gain nothing. A window of 0 is not known and
// never full.
func (m *Meter) Full(size, window, at int) bool {
	full := Threshold(window, at)
	if window == 0 || size < full || !m.shortened && m.floor >= full {
		return false
	}
	return m.floor == 0 || size >= m.floor+window/growth
}

// Shortened notes that the thread was shortened, to size tokens by estimate.
func (m *Meter) Shortened(size int) { *m = Meter{shortened: true, floor: size} }

// Threshold is the size at which a thread of a window is shortened by itself.
func Threshold(window, at int) int { return int(int64(window) * int64(at) / 100) }
