package meter

import (
	"strings"
	"testing"

	"companion/agent/model"
)

func TestWhatVendorsCountIsTheTruth(t *testing.T) {
	items := []model.Item{{Text: strings.Repeat("x", 700)}, {Text: strings.Repeat("y", 350)}}
	whole := func() int { return 4242 }
	var m Meter
	if n := m.Size(items, whole); n != 4242 {
		t.Errorf("before the vendor has counted: %d", n)
	}
	m.Reported(1000, 1)
	if n := m.Size(items, whole); n != 1100 { // 350 bytes at 3.5 a token
		t.Errorf("with what came since: %d", n)
	}
	m.Reported(0, 2) // this step it did not count
	if n := m.Size(items, whole); n != 4242 {
		t.Errorf("without a count: %d", n)
	}
	m.Reported(1000, 9)
	if n := m.Size(items, whole); n != 4242 {
		t.Errorf("of more items than there are: %d", n)
	}
}

func TestAThreadIsFullOnceUntilItHasGrown(t *testing.T) {
	const window, at = 1000, 80
	type step struct {
		shortened, reported int // 0 = not
		size                int
		full                bool
	}
	for name, steps := range map[string][]step{
		"at the threshold": {{0, 0, 799, false}, {0, 0, 800, true}, {0, 0, 5000, true}},
		"it helped, and grew again": {
			{0, 0, 900, true},
			{200, 300, 310, false},
			{0, 0, 799, false},
			{0, 0, 801, true},
		},
		"it helped little":     {{700, 750, 780, false}, {0, 0, 840, false}, {0, 0, 850, true}},
		"it helped nothing":    {{300, 900, 900, false}, {0, 0, 5000, false}},
		"a person shortens it": {{300, 900, 900, false}, {300, 0, 900, true}},
	} {
		t.Run(name, func(t *testing.T) {
			var m Meter
			for i, s := range steps {
				if s.shortened > 0 {
					m.Shortened(s.shortened)
				}
				if s.reported > 0 {
					m.Reported(s.reported, 1)
				}
				if m.Full(s.size, window, at) != s.full {
					t.Errorf("step %d: full at %d is %v", i+1, s.size, !s.full)
				}
			}
		})
	}
	var m Meter
	if m.Full(1<<40, 0, at) {
		t.Error("a window that is not known is full")
	}
}
