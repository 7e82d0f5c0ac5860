package match

// mostChoices bounds the work of telling places apart.
const mostChoices = 4_000_000

// assign chooses the place of every hunk: the only way to have them in the
// order of the patch, else the only place of each.
func assign(x *source, all []*hunk) error {
	total := 0
	for _, h := range all {
		total += len(h.places)
	}
	if total == len(all) { // nothing to choose
		for _, h := range all {
			h.at = h.places[0]
		}
		return nil
	}
	if total > mostChoices {
		for _, h := range all {
			if len(h.places) > 1 {
				return x.ambiguous(h, h.places)
			}
		}
	}
	ways := count(all)
	switch n := sum(ways[len(all)-1]); {
	case n == 0:
		return greedy(x, all)
	case n == 1:
		behind := -1
		for i := len(all) - 1; i >= 0; i-- {
			h := all[i]
			for j := len(h.places) - 1; j >= 0; j-- {
				if ways[i][j] == 1 && (behind < 0 || h.places[j]+h.last <= behind) {
					h.at = h.places[j]
					break
				}
			}
			behind = h.at + h.first
		}
		return nil
	}
	return x.doubt(all, ways)
}

// count gives, for each place of each hunk, in how many ways the hunks up to it
// can be placed in order: 0, 1, or 2 for more.
func count(all []*hunk) [][]uint8 {
	ways := make([][]uint8, len(all))
	for i, h := range all {
		ways[i] = make([]uint8, len(h.places))
		if i == 0 {
			for j := range ways[0] {
				ways[0][j] = 1
			}
			continue
		}
		before := all[i-1]
		k, n := 0, uint8(0)
		for j, at := range h.places {
			for k < len(before.places) && before.places[k]+before.last <= at+h.first {
				n = min(2, n+ways[i-1][k])
				k++
			}
			ways[i][j] = n
		}
	}
	return ways
}

func sum(ways []uint8) (n uint8) {
	for _, w := range ways {
		n = min(2, n+w)
	}
	return n
}

// doubt names a hunk that can be at several places: going back from the last,
// the first that has more than one.
func (x *source) doubt(all []*hunk, ways [][]uint8) error {
	behind := -1
	for i := len(all) - 1; i >= 0; i-- {
		h := all[i]
		var open []int
		for j, at := range h.places {
			if ways[i][j] > 0 && (behind < 0 || at+h.last <= behind) {
				open = append(open, at)
			}
		}
		if len(open) != 1 {
			return x.ambiguous(h, open)
		}
		h.at = open[0]
		behind = h.at + h.first
	}
	return x.ambiguous(all[0], all[0].places)
}

// greedy places hunks that are not in order: each at its only place, or the
// only one behind the hunk before it.
func greedy(x *source, all []*hunk) error {
	cursor := 0
	for _, h := range all {
		open := h.places
		if len(open) > 1 {
			open = nil
			for _, at := range h.places {
				if at+h.first >= cursor {
					open = append(open, at)
				}
			}
			if len(open) == 0 {
				open = h.places
			}
		}
		if len(open) != 1 {
			return x.ambiguous(h, open)
		}
		h.at = open[0]
		cursor = h.at + h.last
	}
	return nil
}
