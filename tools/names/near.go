package names

import (
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Near gives at most limit of names that are close to asked, the closest first:
// an edit distance of at most a third of its length (2 at least), or one
// contained in the other. Case does not count.
func Near(asked string, names []string, limit int) []string {
	type scored struct {
		name string
		dist int
	}
	var hits []scored
	low := strings.ToLower(asked)
	for _, n := range names {
		other := strings.ToLower(n)
		d := levenshtein.ComputeDistance(low, other)
		contained := len(low) > 2 && len(other) > 2 && (strings.Contains(other, low) || strings.Contains(low, other))
		if d <= max(2, len(asked)/3) || contained {
			hits = append(hits, scored{n, d})
		}
	}
	sort.Slice(hits, func(i, j int) bool {
		if hits[i].dist != hits[j].dist {
			return hits[i].dist < hits[j].dist
		}
		return hits[i].name < hits[j].name
	})
	out := make([]string, 0, limit)
	for _, h := range hits[:min(limit, len(hits))] {
		out = append(out, h.name)
	}
	return out
}
